import type { Check } from '../../model/check.ts'
import type { Evidence } from '../../model/evidence.ts'
import { allOf, expectError, expectRefused, expectStatus, locationOf } from '../../model/expect.ts'

interface Refusal {
  readonly id: string
  readonly label: string
  readonly title: string
  readonly error: string
  readonly basis?: Check['basis']
  readonly rule: string
  readonly why: string
}

/** What a registration is refused for, by RFC 7591 3.2.2. */
const REFUSALS: readonly Refusal[] = [
  {
    id: 'REG-019',
    label: 'reg.without.redirect_uris',
    title: 'A registration without redirect URIs is refused.',
    error: 'invalid_redirect_uri',
    rule: 'RFC 7591 2, seed, POST /auth/register',
    why: 'Codes would have nowhere to go.',
  },
  {
    id: 'REG-020',
    label: 'reg.without.client_name',
    title: 'A registration without a name is refused.',
    error: 'invalid_client_metadata',
    basis: 'seed',
    rule: 'seed, POST /auth/register',
    why: 'The owner is asked by that name.',
  },
  {
    id: 'REG-021',
    label: 'reg.without.software_id',
    title: 'A registration without a software id is refused.',
    error: 'invalid_client_metadata',
    basis: 'seed',
    rule: 'seed, POST /auth/register',
    why: 'It says which software the client is.',
  },
  {
    id: 'REG-022',
    label: 'reg.uri.http',
    title: 'A redirect URI with http is refused, except on the own machine.',
    error: 'invalid_redirect_uri',
    basis: 'seed',
    rule: 'seed, Authentication 4; RFC 9700 2.1',
    why: 'Codes would cross the network in clear.',
  },
  {
    id: 'REG-023',
    label: 'reg.uri.fragment',
    title: 'A redirect URI with a fragment is refused.',
    error: 'invalid_redirect_uri',
    rule: 'RFC 6749 3.1.2 MUST NOT',
    why: 'What follows it is not sent to the client.',
  },
  {
    id: 'REG-024',
    label: 'reg.uri.script',
    title: 'A redirect URI with javascript: is refused.',
    error: 'invalid_redirect_uri',
    basis: 'product',
    rule: 'oauth.md 3.2',
    why: 'A browser would run it.',
  },
  {
    id: 'REG-025',
    label: 'reg.uri.relative',
    title: 'A relative redirect URI is refused.',
    error: 'invalid_redirect_uri',
    rule: 'RFC 6749 3.1.2 MUST',
    why: 'It leads to the server itself.',
  },
  {
    id: 'REG-026',
    label: 'reg.uri.lookalike',
    title: 'A host that only begins with localhost is refused for http.',
    error: 'invalid_redirect_uri',
    basis: 'seed',
    rule: 'seed, Authentication 4',
    why: 'localhost.example.org is somebody else.',
  },
  {
    id: 'REG-027',
    label: 'reg.uri.own',
    title: 'A redirect URI on the host of the server is refused.',
    error: 'invalid_redirect_uri',
    basis: 'product',
    rule: 'oauth.md 3.2',
    why: 'A code must not land in pages of the server.',
  },
  {
    id: 'REG-028',
    label: 'reg.uri.many',
    title: 'More than twenty redirect URIs are refused.',
    error: 'invalid_redirect_uri',
    basis: 'product',
    rule: 'oauth.md 2.2',
    why: 'A record without a bound is a way to fill the store.',
  },
  {
    id: 'REG-029',
    label: 'reg.name.long',
    title: 'A name of more than 200 characters is refused.',
    error: 'invalid_client_metadata',
    basis: 'product',
    rule: 'oauth.md 2.2',
    why: 'It stands on the page that asks the owner.',
  },
  {
    id: 'REG-030',
    label: 'reg.link',
    title: 'A link with javascript: is refused.',
    error: 'invalid_client_metadata',
    basis: 'product',
    rule: 'oauth.md 3.1',
    why: 'It becomes a link on a page that the owner trusts.',
  },
]

/** Rules of what is refused. */
export const REG_REFUSALS: readonly Check[] = [
  ...REFUSALS.map(
    ({ id, label, title, error, basis = 'rfc', rule, why }): Check => ({
      id,
      title,
      level: 'must',
      basis,
      rules: rule.split(/; |, (?=seed)/),
      why,
      remedy: `Answer 400 with {"error": "${error}"} (RFC 7591 3.2.2).`,
      judge: (e: Evidence) => expectError(e.of(label), [400], error, 'invalid_client_metadata'),
    }),
  ),
  {
    id: 'REG-031',
    title: 'A form instead of JSON is refused.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7591 3.1 MUST'],
    why: 'A page elsewhere can post forms, but no JSON.',
    remedy: 'Answer 400 or 415 unless the type is application/json.',
    judge: (e) => expectStatus(e.of('reg.form'), 400, 415),
  },
  {
    id: 'REG-032',
    title: 'Broken JSON is refused.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7591 3.2.2'],
    why: 'It must never be a fault of the server.',
    remedy: 'Answer 400 with an error.',
    judge: (e) => expectError(e.of('reg.broken'), [400]),
  },
  {
    id: 'REG-033',
    title: 'Another method is refused.',
    level: 'must',
    basis: 'product',
    rules: ['oauth.md 3.1', 'RFC 9110 15.5.6'],
    why: 'There is no list of clients to read.',
    remedy: 'Answer 405 with Allow.',
    judge: (e) => allOf(expectRefused(e.of('reg.get')), expectStatus(e.of('reg.get'), 404, 405)),
  },
  {
    id: 'REG-034',
    title: 'Nobody registers on behalf of the settings app without its token.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, POST /auth/registerFromWebApp'],
    needs: ['apps'],
    why: 'What it registers counts as wanted by the owner.',
    remedy: 'Answer 403 without a token of the settings app.',
    judge: (e) => expectStatus(e.of('reg.app.anybody'), 403),
  },
  {
    id: 'REG-035',
    title: 'The token of another app does not register on behalf of the settings app.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, POST /auth/registerFromWebApp'],
    needs: ['apps'],
    why: 'Any app could otherwise make clients.',
    remedy: 'Answer 403 unless the token is that of the settings app.',
    judge: (e) => expectStatus(e.of('reg.app.other'), 403),
  },
  {
    id: 'REG-036',
    title: 'A refused registration leads nowhere.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 7591 3.2.2'],
    why: 'A refusal is an answer to the program that asked.',
    remedy: 'Send no Location with an error.',
    judge: (e) =>
      allOf(
        ...e
          .all('reg.uri.')
          .map(
            (one) => () =>
              locationOf(one) === '' ? undefined : `${one.label} leads to ${locationOf(one)}`,
          ),
      ),
  },
]
