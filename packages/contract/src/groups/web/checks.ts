import type { Check } from '../../model/check.ts'
import { isDisturbance } from '../../model/disturbance.ts'
import type { Answered, Evidence } from '../../model/evidence.ts'
import { allOf, expectHeader, expectNoHeader, header } from '../../model/expect.ts'

/** Rules of how answers are sent. They look at everything that was recorded. */
export const WEB_CHECKS: readonly Check[] = [
  {
    id: 'WEB-001',
    title: 'Pages allow nothing by their content security policy that they do not name.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 4.3', 'oauth.md 2.4'],
    why: 'It is the second wall behind escaping.',
    remedy: "Begin the policy with default-src 'none'.",
    needs: ['pages'],
    judge: (e) =>
      ofPages(e, (page) => expectHeader(page, 'content-security-policy', /default-src 'none'/)),
  },
  {
    id: 'WEB-002',
    title: 'No policy allows inline script or evaluation.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 4.3'],
    why: 'Script that was smuggled in is inline.',
    remedy: "Leave 'unsafe-inline' and 'unsafe-eval' out of script-src.",
    needs: ['pages'],
    judge: (e) =>
      ofPages(e, (page) => {
        const script = /script-src ([^;]*)/.exec(header(page, 'content-security-policy') ?? '')?.[1]
        return script !== undefined && /'unsafe-(inline|eval)'/.test(script)
          ? `${page.label}: script-src is ${script}`
          : undefined
      }),
  },
  {
    id: 'WEB-003',
    title: 'No site shows a page in a frame.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 9700 4.16 SHOULD', 'RFC 6749 10.13'],
    why: 'The owner would press a button without seeing it.',
    remedy: "Send frame-ancestors 'none' and X-Frame-Options: DENY.",
    needs: ['pages'],
    judge: (e) =>
      ofPages(e, (page) =>
        allOf(
          expectHeader(page, 'content-security-policy', /frame-ancestors 'none'/),
          expectHeader(page, 'x-frame-options', /^DENY$/i),
        ),
      ),
  },
  {
    id: 'WEB-004',
    title: 'Browsers guess no types.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 4.3'],
    why: 'Text would become script.',
    remedy: 'Send X-Content-Type-Options: nosniff with every answer.',
    judge: (e) =>
      allOf(
        ...sample(e).map((one) => () => expectHeader(one, 'x-content-type-options', /^nosniff$/i)),
      ),
  },
  {
    id: 'WEB-005',
    title: 'No cache keeps what stands below /auth.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 4.3', 'oauth.md 2.4'],
    why: 'The next one at the machine would see it.',
    remedy: 'Send Cache-Control: no-store.',
    needs: ['pages'],
    judge: (e) =>
      allOf(
        ...sample(e)
          .filter(({ request, answer }) => isBelowAuth(request.url) && answer.status < 404)
          .map((one) => () => expectHeader(one, 'cache-control', /\bno-store\b/)),
      ),
  },
  {
    id: 'WEB-006',
    title: 'Over https browsers are told to stay there.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 4.3', 'RFC 6797 7.1'],
    why: 'The first request of the next visit would be in clear.',
    remedy: 'Send Strict-Transport-Security for a year, over https alone.',
    needs: ['pages'],
    judge: (e) =>
      e.target.startsWith('https:')
        ? expectHeader(e.of('web.page'), 'strict-transport-security', /max-age=\d{8}/)
        : expectNoHeader(e.of('web.page'), 'strict-transport-security'),
  },
  {
    id: 'WEB-007',
    title: 'Addresses of pages do not leave the server.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 4.3', 'RFC 9700 4.2'],
    why: 'They hold codes and states.',
    remedy: 'Send Referrer-Policy: same-origin.',
    needs: ['pages'],
    judge: (e) => ofPages(e, (page) => expectHeader(page, 'referrer-policy', /^same-origin$/)),
  },
  {
    id: 'WEB-008',
    title: 'No other origin reads what stands below /auth.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, What the service does 9'],
    why: 'CORS is disabled for /auth.',
    remedy:
      'Send no Access-Control-Allow-Origin, whatever the Origin; only token and revocation endpoints may answer * to requests without a secret.',
    needs: ['pages'],
    judge: (e) => {
      e.use('web.page')
      const open = e
        .everything()
        .find(
          (one) =>
            isBelowAuth(one.request.url) &&
            header(one, 'access-control-allow-origin') !== undefined &&
            !isForPublicClient(one),
        )
      return open === undefined ? undefined : expectNoHeader(open, 'access-control-allow-origin')
    },
  },
  {
    id: 'WEB-009',
    title: 'Preflights of other origins are not granted.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, What the service does 9', 'login.md 4.5'],
    why: 'CORS is disabled for /auth.',
    remedy: 'Answer preflights without Access-Control-Allow-Origin.',
    needs: ['pages'],
    judge: (e) =>
      allOf(
        ...e
          .all('web.preflight.')
          .map((one) => () => expectNoHeader(one, 'access-control-allow-origin')),
      ),
  },
  {
    id: 'WEB-010',
    title: 'Nothing that was asked made the server fail.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 9110 15.6'],
    why: 'A fault that a stranger can cause is one that many can.',
    remedy: 'Find the answer in the log, and refuse what it was asked.',
    judge: (e) => {
      const failed = e.everything().find(({ answer }) => answer.status >= 500)
      for (const { label } of e.everything().slice(0, 1)) e.use(label)
      return failed === undefined
        ? undefined
        : `${failed.label}: the status is ${failed.answer.status}`
    },
  },
  {
    id: 'WEB-011',
    title: 'No answer shows the inside of the server.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 4.2'],
    why: 'Paths and stacks tell where to look for faults.',
    remedy: 'Answer a code and a sentence.',
    judge: (e) => {
      const shown = e
        .everything()
        .find(({ answer }) => /\n\s+at .+[:(]|node_modules|\/src\/.*\.(ts|js):\d/.test(answer.body))
      for (const { label } of e.everything().slice(0, 1)) e.use(label)
      return shown === undefined ? undefined : `${shown.label}: the answer shows code`
    },
  },
  {
    id: 'WEB-012',
    title: 'No answer says which software answers.',
    level: 'should',
    basis: 'product',
    rules: ['RFC 9110 10.2.4'],
    why: 'It is the first thing that is looked up.',
    remedy: 'Send neither Server with a version nor X-Powered-By.',
    judge: (e) => {
      e.use(sample(e)[0]?.label ?? '')
      const told = e
        .everything()
        .find(
          (one) =>
            header(one, 'x-powered-by') !== undefined || /\/\d/.test(header(one, 'server') ?? ''),
        )
      return told === undefined ? undefined : `${told.label} says it`
    },
  },
]

/** Every page of the server itself that a browser was shown. */
function ofPages(e: Evidence, judge: (page: Answered) => string | undefined): string | undefined {
  const pages = e
    .everything()
    .filter(
      (one) =>
        isBelowAuth(one.request.url) && (header(one, 'content-type') ?? '').startsWith('text/html'),
    )
  if (pages.length === 0) return e.of('web.page') && 'no page was shown'
  for (const { label } of pages.slice(0, 5)) e.use(label)
  return allOf(...pages.map((page) => () => judge(page)))
}

/** Some answers of every group. */
function sample(e: Evidence): readonly Answered[] {
  const seen = new Map<string, Answered>()
  for (const one of e.everything()) {
    if (one.answer.status < 200 || isDisturbance(one)) continue
    const group = `${one.label.split('.', 1)[0]} ${one.answer.status}`
    if (!seen.has(group)) seen.set(group, one)
  }
  const found = [...seen.values()]
  for (const { label } of found) e.use(label)
  return found
}

/** Of a token or revocation endpoint, for pages of any origin: the request carried no secret, and no cookie counts (D94). */
function isForPublicClient(one: Answered): boolean {
  const { headers, url, body = '' } = one.request
  return (
    /^\/auth\/(?:access_token|revoke)$/.test(new URL(url).pathname) &&
    !headers.some(([name]) => name.toLowerCase() === 'authorization') &&
    !/(?:^|&)client_secret=/.test(body) &&
    header(one, 'access-control-allow-origin') === '*' &&
    header(one, 'access-control-allow-credentials') === undefined
  )
}

function isBelowAuth(url: string): boolean {
  return new URL(url).pathname.startsWith('/auth/')
}
