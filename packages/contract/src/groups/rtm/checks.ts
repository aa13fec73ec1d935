import type { Check, Finding } from '../../model/check.ts'
import type { Evidence } from '../../model/evidence.ts'
import { allOf, expectMember, expectStatus, show } from '../../model/expect.ts'
import { closeOf, errorsOf, messagesOf } from '../frames.ts'

const NEEDS = ['realtime', 'revocation'] as const
const SECOND = 1000

interface WrongStart {
  readonly id: string
  readonly label: string
  readonly title: string
  readonly status: string
}

const WRONG_STARTS: readonly WrongStart[] = [
  { id: 'RTM-004', label: 'broken', title: 'What is no JSON ends the connection.', status: '400' },
  {
    id: 'RTM-005',
    label: 'subscribe',
    title: 'Nobody subscribes before showing a token.',
    status: '405',
  },
  {
    id: 'RTM-006',
    label: 'token',
    title: 'A token that is no good ends the connection.',
    status: '401',
  },
  {
    id: 'RTM-007',
    label: 'empty',
    title: 'AUTH without a token ends the connection.',
    status: '401',
  },
  { id: 'RTM-008', label: 'refresh', title: 'A refresh token opens no connection.', status: '401' },
]

/** Rules of the websocket. */
export const RTM_CHECKS: readonly Check[] = [
  {
    id: 'RTM-001',
    title: 'A connection is opened with the subprotocol that was offered.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, Events', 'realtime.md 1'],
    why: 'Browsers close a connection without it.',
    remedy: 'Select io.svc.websocket.',
    needs: NEEDS,
    judge: (e) =>
      allOf(
        expectStatus(e.of('rtm.protocol'), 101),
        expectMember(e.of('rtm.protocol'), 'protocol', 'io.svc.websocket'),
      ),
  },
  {
    id: 'RTM-002',
    title: 'The subprotocol is found anywhere in the list.',
    level: 'must',
    basis: 'product',
    rules: ['realtime.md 1'],
    why: 'Clients offer several.',
    remedy: 'Look at the whole list.',
    needs: NEEDS,
    judge: (e) => expectMember(e.of('rtm.protocol.list'), 'protocol', 'io.svc.websocket'),
  },
  {
    id: 'RTM-003',
    title: 'The subprotocol of published clients is taken.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 29'],
    why: 'They have no realtime otherwise.',
    remedy: 'Select io.cozy.websocket when it is what was offered.',
    needs: NEEDS,
    judge: (e) => expectMember(e.of('rtm.protocol.legacy'), 'protocol', 'io.cozy.websocket'),
  },
  ...WRONG_STARTS.map(
    ({ id, label, title, status }): Check => ({
      id,
      title,
      level: 'must',
      basis: 'product',
      rules: ['realtime.md 2.1'],
      why: 'Whoever listens sees what the owner does.',
      remedy: `Send an error with ${status}, and close.`,
      needs: NEEDS,
      judge: (e) => refused(e, `rtm.first.${label}`, status),
    }),
  ),
  {
    id: 'RTM-009',
    title: 'A good token is taken without a word, and a second AUTH, too.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 31', 'realtime.md 2.1'],
    why: 'Published clients send it again after a refresh.',
    remedy: 'Keep the connection, and send nothing.',
    needs: NEEDS,
    judge: (e) => {
      const errors = errorsOf(e.of('rtm.talk'))
      const about = errors.find(
        ({ payload }) => methodOf(payload) === 'AUTH' || methodOf(payload) === 'auth',
      )
      if (about !== undefined) return `there is an error about AUTH: ${show(about.payload)}`
      return closeOf(e.of('rtm.talk')) === undefined ? undefined : 'the connection was closed'
    },
  },
  {
    id: 'RTM-010',
    title: 'Nobody subscribes to what the token does not allow.',
    level: 'must',
    basis: 'product',
    rules: ['realtime.md 3'],
    why: 'Events show what the documents show.',
    remedy: 'Send an error with 403, and keep the connection.',
    needs: NEEDS,
    judge: (e) => hasError(e, '403'),
  },
  {
    id: 'RTM-011',
    title: 'A subscription without a type is refused.',
    level: 'must',
    basis: 'product',
    rules: ['realtime.md 4'],
    why: 'It must not mean everything.',
    remedy: 'Send an error with 404, and keep the connection.',
    needs: NEEDS,
    judge: (e) => hasError(e, '404'),
  },
  {
    id: 'RTM-012',
    title: 'A method that nobody knows is answered with the name that was sent.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 31', 'realtime.md 4'],
    why: 'Published clients keep the connection alive by "ping", and look at source.method.',
    remedy: 'Send an error with 405 whose source has the method as it was sent.',
    needs: NEEDS,
    judge: (e) => {
      const error = errorsOf(e.of('rtm.talk')).find(({ payload }) => methodOf(payload) === 'ping')
      if (error === undefined) return 'no error names the method "ping"'
      return String(error.payload?.['status']).startsWith('405')
        ? undefined
        : `the status is ${show(error.payload?.['status'])}`
    },
  },
  {
    id: 'RTM-013',
    title: 'Errors have a status, a code, a title and a source.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 31', 'realtime.md 4'],
    why: 'Published clients read payload without asking.',
    remedy: 'Send payload as an object with these members.',
    needs: NEEDS,
    judge: (e) => {
      const errors = errorsOf(e.of('rtm.talk'))
      if (errors.length === 0) return 'there is no error'
      const bare = errors.find(({ payload }) =>
        ['status', 'code', 'title', 'source'].some((name) => payload?.[name] === undefined),
      )
      return bare === undefined ? undefined : `an error is ${show(bare)}`
    },
  },
  {
    id: 'RTM-014',
    title: 'A message that is too large ends the connection.',
    level: 'must',
    basis: 'product',
    rules: ['realtime.md 6'],
    why: 'Strangers must not fill the memory.',
    remedy: 'Close with 1009.',
    needs: NEEDS,
    judge: (e) => {
      const close = closeOf(e.of('rtm.large'))
      return close?.code === 1009 ? undefined : `the close is ${show(close)}`
    },
  },
  {
    id: 'RTM-015',
    title: 'A connection ends within a second when its token is revoked.',
    level: 'must',
    basis: 'product',
    rules: ['realtime.md 5', 'decision D9'],
    why: 'Whoever was cut off must not go on listening.',
    remedy: 'Close with 1008 when the grant ends.',
    needs: NEEDS,
    judge: (e) => {
      e.use('rtm.revoke')
      if (e.note('rtm.revoked.open') !== 'true') return 'it was closed before'
      const close = closeOf(e.of('rtm.revoked'))
      if (close === undefined) return 'it stayed open'
      const ms = Number(e.note('rtm.revoked.ms'))
      if (close.code !== 1008) return `the close is ${show(close)}`
      return ms <= SECOND ? undefined : `it took ${ms} ms`
    },
  },
  {
    id: 'RTM-016',
    title: 'A request that is no handshake is answered by 426.',
    level: 'should',
    basis: 'product',
    rules: ['realtime.md 1', 'RFC 9110 15.5.22'],
    why: 'The answer says what would be right.',
    remedy: 'Answer 426 with Upgrade: websocket.',
    needs: NEEDS,
    judge: (e) => expectStatus(e.of('rtm.plain'), 426, 400),
  },
]

function refused(e: Evidence, label: string, status: string): Finding {
  const exchange = e.of(label)
  const found = messagesOf(exchange)[0]?.payload?.['status']
  if (!String(found).startsWith(status)) return `${label}: the status is ${show(found)}`
  return closeOf(exchange) === undefined ? `${label}: the connection stayed open` : undefined
}

function hasError(e: Evidence, status: string): Finding {
  const exchange = e.of('rtm.talk')
  const found = errorsOf(exchange).some(({ payload }) =>
    String(payload?.['status']).startsWith(status),
  )
  if (!found) return `no error has the status ${status}`
  return closeOf(exchange) === undefined ? undefined : 'the connection was closed'
}

function methodOf(payload: Readonly<Record<string, unknown>> | undefined): unknown {
  const source = payload?.['source']
  return typeof source === 'object' && source !== null && 'method' in source
    ? source.method
    : undefined
}
