import type { Check } from '../../model/check.ts'
import type { Answered } from '../../model/evidence.ts'
import { allOf, expectHeader, expectStatus, header, jsonOf, show } from '../../model/expect.ts'

const NEEDS = ['notifications'] as const

/** Rules of notifications that are taken. */
export const NOT_CHECKS: readonly Check[] = [
  {
    id: 'NOT-001',
    title: 'A notification is answered by 201.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, POST /notifications'],
    why: 'The app learns that it was taken.',
    remedy: 'Answer 201.',
    needs: NEEDS,
    judge: (e) => expectStatus(e.of('not.full'), 201),
  },
  {
    id: 'NOT-002',
    title: 'The answer is JSON:API.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, POST /notifications'],
    why: 'Apps read data from it.',
    remedy: 'Answer application/vnd.api+json.',
    needs: NEEDS,
    judge: (e) => expectHeader(e.of('not.full'), 'content-type', /^application\/vnd\.api\+json/),
  },
  {
    id: 'NOT-003',
    title: 'The answer has type, id and revision.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, Notification record'],
    why: 'Apps recognise the record by them.',
    remedy: 'Answer data.type, data.id and data.meta.rev.',
    needs: NEEDS,
    judge: (e) => {
      const { type, id, meta } = recordOf(e.of('not.full'))
      if (!String(type).endsWith('.notifications')) return `type is ${show(type)}`
      if (typeof id !== 'string') return `id is ${show(id)}`
      return typeof meta?.['rev'] === 'string' ? undefined : 'meta.rev is missing'
    },
  },
  {
    id: 'NOT-004',
    title: 'The answer echoes what was sent.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, POST /notifications'],
    why: 'The seed says so.',
    remedy: 'Answer category, title, message, priority, state and data unchanged.',
    needs: NEEDS,
    judge: (e) => {
      const sent = JSON.parse(e.of('not.full').request.body ?? '{}') as {
        data: { attributes: Record<string, unknown> } // as the scenario sent it
      }
      const { attributes } = recordOf(e.of('not.full'))
      const other = ['category', 'title', 'message', 'priority', 'state', 'data'].filter(
        (name) => JSON.stringify(attributes?.[name]) !== JSON.stringify(sent.data.attributes[name]),
      )
      return other.length === 0 ? undefined : `${other.join(', ')} is not what was sent`
    },
  },
  {
    id: 'NOT-005',
    title: 'The answer says where the notification comes from.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, Notification record', 'notifications.md 3.3'],
    why: 'The owner silences apps by their source.',
    remedy: 'Answer source_id and originator.',
    needs: NEEDS,
    judge: (e) => {
      const { attributes } = recordOf(e.of('not.full'))
      if (typeof attributes?.['source_id'] !== 'string') return 'source_id is missing'
      return attributes['originator'] === 'oauth'
        ? undefined
        : `originator is ${show(attributes['originator'])}`
    },
  },
  {
    id: 'NOT-006',
    title: 'The answer shows no address of the owner and no token of a device.',
    level: 'must',
    basis: 'product',
    rules: ['notifications.md 3.3'],
    why: 'The app does not know them, and need not.',
    remedy: 'Answer what was sent, and what the record is known by.',
    needs: NEEDS,
    judge: (e) => {
      const { attributes } = recordOf(e.of('not.full'))
      if (attributes === undefined) return 'there are no attributes'
      const shown = Object.keys(attributes).filter((name) =>
        /token|phone|email|credential/.test(name),
      )
      return shown.length === 0 ? undefined : `${shown.join(', ')} is there`
    },
  },
  {
    id: 'NOT-007',
    title: 'The answer says where the record is.',
    level: 'should',
    basis: 'product',
    rules: ['notifications.md 3.3'],
    why: 'The app can ask what became of it.',
    remedy: 'Send Location: /notifications/<id>.',
    needs: NEEDS,
    judge: (e) => {
      const answer = e.of('not.full')
      const { id } = recordOf(answer)
      return header(answer, 'location') === `/notifications/${String(id)}`
        ? undefined
        : `Location is ${show(header(answer, 'location'))}`
    },
  },
  {
    id: 'NOT-008',
    title: 'The priority of the category counts where none was sent.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, Notification declaration'],
    why: 'It is what default_priority is for.',
    remedy: 'Take default_priority of the declaration.',
    needs: NEEDS,
    judge: (e) => {
      const priority = recordOf(e.of('not.default')).attributes?.['priority']
      return allOf(expectStatus(e.of('not.default'), 201), () =>
        priority === 'normal' ? undefined : `priority is ${show(priority)}`,
      )
    },
  },
  {
    id: 'NOT-009',
    title: 'application/json is taken, too.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 32'],
    why: 'Published clients send it.',
    remedy: 'Take both media types.',
    needs: NEEDS,
    judge: (e) => expectStatus(e.of('not.type.json'), 201),
  },
  {
    id: 'NOT-010',
    title: 'Any type, an empty message and rendered content are taken.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 32'],
    why: 'Published clients send them.',
    remedy: 'Ignore data.type; treat null as absent; take content and content_html.',
    needs: NEEDS,
    judge: (e) => expectStatus(e.of('not.type.other'), 201),
  },
  {
    id: 'NOT-011',
    title: 'A category with kinds of its own takes a category_id.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, Notification declaration'],
    why: 'multiple allows sub-categories.',
    remedy: 'Take category_id where the category is multiple.',
    needs: NEEDS,
    judge: (e) => {
      const id = recordOf(e.of('not.many')).attributes?.['category_id']
      return allOf(expectStatus(e.of('not.many'), 201), () =>
        id === 'inbox' ? undefined : `category_id is ${show(id)}`,
      )
    },
  },
  {
    id: 'NOT-012',
    title: 'A stateful category takes a state.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, Notification declaration'],
    why: 'It is compared with the last one.',
    remedy: 'Take state where the category is stateful.',
    needs: NEEDS,
    judge: (e) => expectStatus(e.of('not.steady'), 201),
  },
  {
    id: 'NOT-013',
    title: 'A time may have an offset.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, POST /notifications', 'notifications.md 3.1'],
    why: 'at is an ISO 8601 date.',
    remedy: 'Read Z and offsets.',
    needs: NEEDS,
    judge: (e) => expectStatus(e.of('not.at.offset'), 201),
  },
  {
    id: 'NOT-014',
    title: 'What is due later is scheduled.',
    level: 'must',
    basis: 'product',
    rules: ['notifications.md 3.3'],
    why: 'The app can tell that nothing was sent yet.',
    remedy: 'Answer status scheduled and scheduled_at.',
    needs: NEEDS,
    judge: (e) => {
      const { attributes } = recordOf(e.of('not.full'))
      return attributes?.['status'] === 'scheduled'
        ? undefined
        : `status is ${show(attributes?.['status'])}`
    },
  },
  {
    id: 'NOT-015',
    title: 'The same key with the same body is one notification.',
    level: 'must',
    basis: 'product',
    rules: ['notifications.md 3.4'],
    why: 'Apps repeat what they got no answer to.',
    remedy: 'Answer the first answer again, with Idempotency-Replayed.',
    needs: NEEDS,
    judge: (e) => {
      const ids = ['not.key', 'not.key.again'].map((label) => recordOf(e.of(label)).id)
      return allOf(
        expectStatus(e.of('not.key'), 201),
        expectHeader(e.of('not.key.again'), 'idempotency-replayed', /^true$/),
        ids[0] === ids[1] ? undefined : 'the ids differ',
      )
    },
  },
  {
    id: 'NOT-016',
    title: 'The same key with another body is refused.',
    level: 'must',
    basis: 'product',
    rules: ['notifications.md 3.4'],
    why: 'One of both would be lost.',
    remedy: 'Answer 422.',
    needs: NEEDS,
    judge: (e) => expectStatus(e.of('not.key.changed'), 422),
  },
  {
    id: 'NOT-017',
    title: 'A client reads what it posted.',
    level: 'must',
    basis: 'product',
    rules: ['notifications.md 15'],
    why: 'It can tell what became of it.',
    remedy: 'Answer the record to who posted it.',
    needs: NEEDS,
    judge: (e) =>
      allOf(expectStatus(e.of('not.read'), 200), () =>
        recordOf(e.of('not.read')).id === recordOf(e.of('not.own')).id
          ? undefined
          : 'it is another one',
      ),
  },
  {
    id: 'NOT-018',
    title: 'Another client sees nothing of it, nor cancels it.',
    level: 'must',
    basis: 'product',
    rules: ['notifications.md 15'],
    why: 'What an app tells the owner is between both.',
    remedy: 'Answer 404.',
    needs: NEEDS,
    judge: (e) =>
      allOf(
        expectStatus(e.of('not.read'), 200),
        expectStatus(e.of('not.read.foreign'), 404),
        expectStatus(e.of('not.cancel.foreign'), 404),
      ),
  },
  {
    id: 'NOT-019',
    title: 'A client cancels what is not sent yet.',
    level: 'must',
    basis: 'product',
    rules: ['notifications.md 15'],
    why: 'What is over need not be told.',
    remedy: 'Answer 204, and 409 the second time.',
    needs: NEEDS,
    judge: (e) =>
      allOf(expectStatus(e.of('not.cancel'), 204), expectStatus(e.of('not.cancel.again'), 409)),
  },
]

interface Resource {
  readonly type?: unknown
  readonly id?: unknown
  readonly meta?: Readonly<Record<string, unknown>>
  readonly attributes?: Readonly<Record<string, unknown>>
}

function recordOf(answer: Answered): Resource {
  return (jsonOf(answer)['data'] ?? {}) as Resource // as JSON:API has it
}
