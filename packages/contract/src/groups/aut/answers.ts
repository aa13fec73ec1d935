import type { Check } from '../../model/check.ts'
import {
  allOf,
  expectHeader,
  expectPage,
  expectStatus,
  header,
  jsonOf,
  locationOf,
  parameterOf,
  show,
  wantsData,
} from '../../model/expect.ts'
import { readPage } from '../../pages/html.ts'
import { CALLBACK } from '../../world/clients.ts'
import { HARD_STATE } from './scenarios.ts'

/** Rules of an authorization that the owner allows or refuses (RFC 6749 4.1.2). */
export const AUT_ANSWERS: readonly Check[] = [
  {
    id: 'AUT-001',
    title: 'The code comes to the registered redirect URI, and is good.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 4.1.2 REQUIRED'],
    why: 'That is what the client asked for.',
    remedy: 'Redirect to the redirect URI with code.',
    judge: (e) => {
      const location = e.note('aut.ok.location')
      if (!location.startsWith(`${CALLBACK}?`)) return `it leads to ${location}`
      if (parameterOf(location, 'code') === undefined) return 'there is no code'
      return expectStatus(e.of('aut.ok.exchange'), 200)
    },
  },
  {
    id: 'AUT-002',
    title: 'The state comes back as it was sent, whatever characters it has.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 4.1.2 REQUIRED'],
    why: 'The client compares it byte for byte.',
    remedy: 'Encode the state once, and decode it once.',
    judge: (e) => {
      e.use('aut.ok.submit')
      const state = parameterOf(e.note('aut.ok.location'), 'state')
      return state === HARD_STATE ? undefined : `the state is ${show(state)}`
    },
  },
  {
    id: 'AUT-003',
    title: 'The status of the redirect is 302.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, POST /auth/authorize', 'clients 6'],
    why: 'The seed shows this status.',
    remedy: 'Answer 302.',
    needs: ['pages'],
    // A script of the page that asks for data is told the address instead.
    judge: (e) => {
      const answer = e.of('aut.ok.submit')
      return expectStatus(answer, wantsData(answer) ? 200 : 302)
    },
  },
  {
    id: 'AUT-004',
    title: 'The redirect ends with an empty fragment.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, POST /auth/authorize', 'clients 5'],
    why: 'Without one the browser carries the fragment of the page along.',
    remedy: 'Write "#" at the end of Location.',
    needs: ['pages'],
    judge: (e) =>
      locationOf(e.of('aut.ok.submit')).endsWith('#') ? undefined : 'Location does not end with #',
  },
  {
    id: 'AUT-005',
    title: 'The code is there as access_code, too.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 3'],
    why: 'Published clients read only access_code.',
    remedy: 'Add access_code with the same value.',
    needs: ['pages'],
    judge: (e) => {
      const location = locationOf(e.of('aut.ok.submit'))
      const code = parameterOf(location, 'access_code')
      return code !== undefined && code === parameterOf(location, 'code')
        ? undefined
        : `access_code is ${show(code)}`
    },
  },
  {
    id: 'AUT-006',
    title: 'access_code or state stands first, and iss last.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 4'],
    why: 'A published app looks directly behind the question mark.',
    remedy: 'Write access_code, code, state, iss in this order.',
    needs: ['pages'],
    judge: (e) => {
      const query = locationOf(e.of('aut.ok.submit')).split('?')[1]?.replace(/#.*$/, '') ?? ''
      const names = query.split('&').map((pair) => pair.split('=', 1)[0] ?? '')
      if (!['access_code', 'state'].includes(names[0] ?? '')) return `${names[0]} stands first`
      return names.includes('iss') && names.at(-1) !== 'iss' ? 'iss does not stand last' : undefined
    },
  },
  {
    id: 'AUT-007',
    title: 'The owner is asked each time.',
    level: 'must',
    basis: 'product',
    rules: ['oauth.md 5.1'],
    why: 'A client that came once could otherwise come back unseen.',
    remedy: 'Show the consent page whether or not the client was allowed before.',
    needs: ['pages'],
    judge: (e) =>
      allOf(expectPage(e.of('aut.again.page'), 200), () =>
        readPage(e.of('aut.again.page').answer.body).forms.length > 0
          ? undefined
          : 'the second page has no form',
      ),
  },
  {
    id: 'AUT-008',
    title: 'Two authorizations give two codes.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 4.1.2 MUST NOT'],
    why: 'A code is used once.',
    remedy: 'Draw each code at random.',
    judge: (e) => {
      e.use('aut.again.submit')
      const codes = ['ok', 'again'].map((name) =>
        parameterOf(e.note(`aut.${name}.location`), 'code'),
      )
      return codes[0] !== codes[1] ? undefined : 'the codes are the same'
    },
  },
  {
    id: 'AUT-009',
    title: 'A code is too long to be guessed.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 10.10 MUST'],
    why: 'It must have at least 128 random bits.',
    remedy: 'Make it of 16 random bytes or more.',
    judge: (e) => {
      e.use('aut.ok.submit')
      const code = parameterOf(e.note('aut.ok.location'), 'code') ?? ''
      const length = e.facts(code)?.length ?? code.length
      return length >= 22 ? undefined : `the code has ${length} characters`
    },
  },
  {
    id: 'AUT-010',
    title: 'A refusal leads to the client with access_denied and the state.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 6749 4.1.2.1 REQUIRED'],
    why: 'The client would wait for ever.',
    remedy: 'Lead to the redirect URI with error=access_denied and state.',
    needs: ['pages'],
    judge: (e) => {
      e.use('aut.refuse.page')
      const location = e.note('aut.refuse.location')
      if (!location.startsWith(CALLBACK)) return `it leads to ${location}`
      const error = parameterOf(location, 'error')
      if (error !== 'access_denied') return `error is ${show(error)}`
      const state = parameterOf(location, 'state')
      return state === HARD_STATE ? undefined : `the state is ${show(state)}`
    },
  },
  {
    id: 'AUT-011',
    title: 'The page names the client and where the code goes.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, GET /auth/authorize'],
    why: 'Only the address is guaranteed, and the page says so.',
    remedy: 'Show client_name and the redirect URI.',
    needs: ['pages'],
    judge: (e) => {
      const { text } = readPage(e.of('aut.ok.page').answer.body)
      const name = String(jsonOf(e.of('client.main'))['client_name'])
      if (!text.includes(name)) return 'the name of the client is not on the page'
      return text.includes(new URL(CALLBACK).host)
        ? undefined
        : 'the redirect URI is not on the page'
    },
  },
  {
    id: 'AUT-012',
    title: 'No cache keeps the page or the redirect.',
    level: 'must',
    basis: 'product',
    rules: ['oauth.md 2.4'],
    why: 'Both hold what is for this browser alone.',
    remedy: 'Answer Cache-Control: no-store.',
    needs: ['pages'],
    judge: (e) =>
      allOf(
        expectHeader(e.of('aut.ok.page'), 'cache-control', /\bno-store\b/),
        expectHeader(e.of('aut.ok.submit'), 'cache-control', /\bno-store\b/),
      ),
  },
  {
    id: 'AUT-013',
    title: 'A stranger is sent to the login and comes back to the same address.',
    level: 'must',
    basis: 'product',
    rules: ['oauth.md 2.7', 'login.md 5.1'],
    why: 'Whatever is lost on the way makes the client fail.',
    remedy: 'Lead to /auth/login with the whole address in redirect.',
    needs: ['pages'],
    judge: (e) => {
      const answer = e.of('aut.stranger')
      const location = new URL(header(answer, 'location') ?? '', e.target)
      if (location.pathname !== '/auth/login') return `it leads to ${location.pathname}`
      const back = location.searchParams.get('redirect')
      return back === e.note('aut.stranger.url') ? undefined : `redirect is ${show(back)}`
    },
  },
  {
    id: 'AUT-014',
    title: 'What a client sends is no markup of the page.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 9700 4.16', 'RFC 6749 10.14 MUST'],
    why: 'Script in a state would run in the name of the owner.',
    remedy: 'Escape every value in every page.',
    needs: ['pages'],
    judge: (e) =>
      e.of('aut.script').answer.body.includes('<script>alert(1)')
        ? 'the state stands in the page as markup'
        : undefined,
  },
]
