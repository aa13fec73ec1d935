import type { Check } from '../../model/check.ts'
import {
  allOf,
  expectHeader,
  expectNoHeader,
  expectStatus,
  header,
  locationOf,
  show,
} from '../../model/expect.ts'

const NEEDS = ['pages', 'apps'] as const

/** Rules of apps that are hosted on the instance. */
export const APP_CHECKS: readonly Check[] = [
  {
    id: 'APP-001',
    title: 'The page of an app carries a token for the owner.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, What the service does 6', 'seed, Authentication 3'],
    why: 'Apps do not use OAuth.',
    remedy: 'Inject the token into the page of a private route.',
    needs: NEEDS,
    judge: (e) => {
      const [token] = JSON.parse(e.note('app.tokens')) as string[] // noted by the scenario
      return allOf(expectStatus(e.of('app.first'), 200), () =>
        e.of('app.first').answer.body.includes(String(token)) ? undefined : 'there is no token',
      )
    },
  },
  {
    id: 'APP-002',
    title: 'A stranger is sent to the login and gets no token.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, Authentication 3'],
    why: 'The route is private.',
    remedy: 'Lead to the login with the address of the app.',
    needs: NEEDS,
    judge: (e) =>
      allOf(expectStatus(e.of('app.stranger'), 302, 303), () =>
        locationOf(e.of('app.stranger')).includes('/auth/login?redirect=')
          ? undefined
          : `it leads to ${locationOf(e.of('app.stranger'))}`,
      ),
  },
  {
    id: 'APP-003',
    title: 'No cache keeps a page with a token.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 4.3'],
    why: 'The next one at the machine would have it.',
    remedy: 'Send Cache-Control: no-store or private, no-cache.',
    needs: NEEDS,
    judge: (e) => expectHeader(e.of('app.first'), 'cache-control', /no-store|private/),
  },
  {
    id: 'APP-004',
    title: 'The token is a JWT for apps, of that app.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, Access token'],
    why: 'A token of one kind must not pass as one of another.',
    remedy: 'Write the audience and the slug.',
    needs: NEEDS,
    judge: (e) => {
      e.use('app.settings')
      const claims = e.facts(e.note('app.settings.token'))?.jwt?.claims
      if (claims === undefined) return 'the token is no JWT'
      if (claims['sub'] !== 'settings') return `sub is ${show(claims['sub'])}`
      return claims['iss'] === new URL(e.target).host ? undefined : `iss is ${show(claims['iss'])}`
    },
  },
  {
    id: 'APP-005',
    title: 'The token of the settings app opens the settings, with the cookie of its session.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, Authentication 2'],
    why: 'That is what it is for.',
    remedy: 'Take the token beside the cookie.',
    needs: NEEDS,
    judge: (e) => expectStatus(e.of('app.use'), 200),
  },
  {
    id: 'APP-006',
    title: 'Without the cookie of its session the token is worth nothing.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, Authentication 2'],
    why: 'A token that leaks is then no way in.',
    remedy: 'Compare the session of the token with that of the cookie.',
    needs: NEEDS,
    judge: (e) => expectStatus(e.of('app.use.alone'), 401),
  },
  {
    id: 'APP-007',
    title: 'The cookie alone opens nothing.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 4.4'],
    why: 'Browsers send it with every request.',
    remedy: 'Ask for the token.',
    needs: NEEDS,
    judge: (e) => expectStatus(e.of('app.use.cookie'), 401),
  },
  {
    id: 'APP-008',
    title: 'The token of another app does not open what that app may not see.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, Authentication 5'],
    why: 'Each app has its own permissions.',
    remedy: 'Answer 403.',
    needs: NEEDS,
    judge: (e) => expectStatus(e.of('app.use.home'), 403),
  },
  {
    id: 'APP-009',
    title: 'The host of an app does not have the interface.',
    level: 'must',
    basis: 'product',
    rules: ['decision D53'],
    why: 'Script of an app would be of the same origin as the login.',
    remedy: 'Answer 404 for its paths on hosts of apps.',
    needs: NEEDS,
    judge: (e) =>
      allOf(
        ...['login', 'token', 'metadata'].map(
          (name) => () => expectStatus(e.of(`app.host.${name}`), 404),
        ),
      ),
  },
  {
    id: 'APP-010',
    title: 'No other origin reads the page of an app.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, What the service does 9'],
    why: 'It holds the token.',
    remedy: 'Send no Access-Control-Allow-Origin.',
    needs: NEEDS,
    judge: (e) =>
      allOf(
        expectStatus(e.of('app.host.cors'), 200),
        expectNoHeader(e.of('app.host.cors'), 'access-control-allow-origin'),
      ),
  },
  {
    id: 'APP-011',
    title: 'No site shows the page of an app in a frame.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 4.3'],
    why: 'The owner would press what is not seen.',
    remedy: "Send frame-ancestors 'none'.",
    needs: NEEDS,
    judge: (e) =>
      expectHeader(e.of('app.first'), 'content-security-policy', /frame-ancestors 'none'/),
  },
  {
    id: 'APP-012',
    title: 'An app that is not there has no page.',
    level: 'must',
    basis: 'product',
    rules: ['decision D53'],
    why: 'Names below the instance must not show anything of others.',
    remedy: 'Answer 404.',
    needs: NEEDS,
    judge: (e) =>
      allOf(expectStatus(e.of('app.unknown'), 404), () =>
        header(e.of('app.unknown'), 'location') === undefined ? undefined : 'it leads elsewhere',
      ),
  },
]
