import type { Check } from '../../model/check.ts'
import {
  allOf,
  expectNoHeader,
  expectPage,
  expectStatus,
  locationOf,
  parameterOf,
  show,
} from '../../model/expect.ts'
import { formsOf } from '../../drivers/browser.ts'
import type { Evidence } from '../../model/evidence.ts'
import { eventsOf, type Message } from '../frames.ts'
import { sessionCookie } from '../ses/session-cookie.ts'

const NEEDS = ['pages', 'apps', 'confirmation'] as const
const WITH_EVENTS = [...NEEDS, 'realtime'] as const

/** Rules of the confirmation by passphrase. */
export const CNF_CHECKS: readonly Check[] = [
  {
    id: 'CNF-001',
    title: 'The page asks for the passphrase, and carries state and target.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, GET /auth/confirm'],
    why: 'The form has to bring both back.',
    remedy: 'Have the fields passphrase, state and redirect.',
    needs: NEEDS,
    judge: (e) => {
      const form = formsOf(e.of('cnf.page'))[0]
      const value = (name: string) => form?.fields.find((field) => field.name === name)?.value
      if (value('passphrase') === undefined) return 'there is no passphrase field'
      if (value('state') !== e.note('cnf.state')) return `state is ${show(value('state'))}`
      return value('redirect')?.startsWith(e.note('cnf.redirect')) === true
        ? undefined
        : `redirect is ${show(value('redirect'))}`
    },
  },
  {
    id: 'CNF-002',
    title: 'A confirmation without a state is refused.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, GET /auth/confirm', 'login.md 6.1'],
    why: 'Nobody could tell what was confirmed.',
    remedy: 'Answer 400.',
    needs: NEEDS,
    judge: (e) =>
      allOf(expectPage(e.of('cnf.no.state'), 400), expectPage(e.of('cnf.post.no.state'), 400)),
  },
  {
    id: 'CNF-003',
    title: 'A confirmation does not lead to another site.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 6.1'],
    why: 'The code would go there, too.',
    remedy: 'Answer 400 to the page and to the posted form.',
    needs: NEEDS,
    judge: (e) =>
      allOf(expectPage(e.of('cnf.hostile'), 400), expectPage(e.of('cnf.post.hostile'), 400)),
  },
  {
    id: 'CNF-004',
    title: 'A wrong passphrase confirms nothing.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 6.2'],
    why: 'Only the owner confirms.',
    remedy: 'Answer 401 with the form.',
    needs: NEEDS,
    judge: (e) =>
      allOf(expectStatus(e.of('cnf.wrong'), 401), expectNoHeader(e.of('cnf.wrong'), 'location')),
  },
  {
    id: 'CNF-005',
    title: 'A page elsewhere cannot confirm.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 4.4'],
    why: 'The owner would confirm unseen.',
    remedy: 'Answer 403 to another origin.',
    needs: NEEDS,
    judge: (e) =>
      allOf(expectStatus(e.of('cnf.cross'), 403), expectNoHeader(e.of('cnf.cross'), 'location')),
  },
  {
    id: 'CNF-006',
    title: 'A confirmation leads back by 302 with state and code.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, POST /auth/confirm'],
    why: 'The app verifies the code.',
    remedy: 'Redirect with the parameters state and code.',
    needs: NEEDS,
    judge: (e) => {
      const answer = e.of('cnf.right')
      const location = locationOf(answer)
      const state = parameterOf(location, 'state')
      return allOf(
        expectStatus(answer, 302),
        location.startsWith(e.note('cnf.redirect')) ? undefined : `it leads to ${location}`,
        state === e.note('cnf.state') ? undefined : `state is ${show(state)}`,
        parameterOf(location, 'code') === undefined ? 'there is no code' : undefined,
      )
    },
  },
  {
    id: 'CNF-007',
    title: 'Other parameters of the target are kept.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 6.2'],
    why: 'The app finds its place by them.',
    remedy: 'Add state and code to the query that is there.',
    needs: NEEDS,
    judge: (e) =>
      parameterOf(locationOf(e.of('cnf.right')), 'kept') === '1' ? undefined : 'kept is missing',
  },
  {
    id: 'CNF-008',
    title: 'A good code is answered by 204.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, GET /auth/confirm/:code'],
    why: 'The app learns by it that the owner confirmed.',
    remedy: 'Answer 204.',
    needs: NEEDS,
    judge: (e) => expectStatus(e.of('cnf.code'), 204),
  },
  {
    id: 'CNF-009',
    title: 'Asking does not use the code up.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 6.3', 'RFC 9110 9.2.1'],
    why: 'A GET is repeated by browsers and proxies.',
    remedy: 'Keep the code until it expires.',
    needs: NEEDS,
    judge: (e) =>
      allOf(expectStatus(e.of('cnf.code'), 204), expectStatus(e.of('cnf.code.again'), 204)),
  },
  {
    id: 'CNF-010',
    title: 'A wrong code is answered by 401.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, Errors'],
    why: 'Nobody confirmed.',
    remedy: 'Answer 401.',
    needs: NEEDS,
    judge: (e) => expectStatus(e.of('cnf.code.wrong'), 401),
  },
  {
    id: 'CNF-011',
    title: 'A code is good for its own state alone.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 6.3'],
    why: 'A harmless confirmation could be shown for another one.',
    remedy: 'Answer 401 when state is sent and another one.',
    needs: NEEDS,
    judge: (e) => expectStatus(e.of('cnf.code.state'), 401),
  },
  {
    id: 'CNF-012',
    title: 'A confirmation opens no session.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 6.2'],
    why: 'Whoever confirms for an app does not log in.',
    remedy: 'Set no session cookie.',
    needs: NEEDS,
    judge: (e) =>
      allOf(
        expectStatus(e.of('cnf.right'), 302),
        sessionCookie(e.of('cnf.right')) === undefined ? undefined : 'there is a session cookie',
        expectStatus(e.of('cnf.no.session'), 200),
      ),
  },
  {
    id: 'CNF-013',
    title: 'Who listens learns of the confirmation.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, Events'],
    why: 'Apps wait for the event.',
    remedy: 'Publish CREATED with id and type.',
    needs: WITH_EVENTS,
    judge: (e) => {
      const [event] = ownEvents(e)
      if (event === undefined) return 'no event came that names the state'
      if (event.event !== 'CREATED') return `the event is ${show(event.event)}`
      const id = event.payload?.['id']
      if (id !== e.note('cnf.event.state')) return `the id is ${show(id)}`
      const type = String(event.payload?.['type'])
      return type.endsWith('.auth.confirmations') ? undefined : `the type is ${type}`
    },
  },
  {
    id: 'CNF-014',
    title: 'The event carries doc with _id.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 30'],
    why: 'Handlers of published clients see doc alone.',
    remedy: 'Add doc with _id, the state.',
    needs: WITH_EVENTS,
    judge: (e) => {
      const doc = ownEvents(e)[0]?.payload?.['doc'] as { _id?: unknown } | undefined // as the event shows it
      return doc?._id === e.note('cnf.event.state') ? undefined : `doc is ${show(doc)}`
    },
  },
  {
    id: 'CNF-015',
    title: 'The event comes once, and without the code.',
    level: 'must',
    basis: 'product',
    rules: ['realtime.md 2.4'],
    why: 'Whoever listens would otherwise hold what the app has to show.',
    remedy: 'Publish the state alone, once.',
    needs: WITH_EVENTS,
    judge: (e) => {
      const events = ownEvents(e)
      if (events.length !== 1) return `${events.length} events came`
      const code = parameterOf(locationOf(e.of('cnf.event.confirm')), 'code') ?? 'no code'
      return JSON.stringify(events).includes(code) ? 'the event holds the code' : undefined
    },
  },
]

/** Events about this confirmation; whoever listens hears of each other one of the space, too. */
function ownEvents(e: Evidence): readonly Message[] {
  const state = e.note('cnf.event.state')
  return eventsOf(e.of('cnf.event')).filter((event) => JSON.stringify(event).includes(state))
}
