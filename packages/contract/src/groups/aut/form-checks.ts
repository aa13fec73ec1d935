import type { Check } from '../../model/check.ts'
import { allOf, expectHeader, expectPage, expectRefused, header } from '../../model/expect.ts'
import { formsOf } from '../../drivers/browser.ts'

interface Change {
  readonly id: string
  readonly field: string
  readonly title: string
}

const CHANGED: readonly Change[] = [
  { id: 'AUT-037', field: 'client', title: 'The client of the posted form is checked again.' },
  {
    id: 'AUT-038',
    field: 'redirect',
    title: 'The redirect URI of the posted form is checked again.',
  },
  { id: 'AUT-039', field: 'state', title: 'The state of the posted form is checked again.' },
  { id: 'AUT-040', field: 'type', title: 'The response type of the posted form is checked again.' },
  { id: 'AUT-041', field: 'scope', title: 'The scope of the posted form is checked again.' },
  {
    id: 'AUT-042',
    field: 'challenge',
    title: 'The challenge method of the posted form is checked again.',
  },
]

const CSRF = ['seed, Authentication 6', 'RFC 9700 4.7']

/** Rules of the posted form. */
export const AUT_FORM: readonly Check[] = [
  ...CHANGED.map(
    ({ id, field, title }): Check => ({
      id,
      title,
      level: 'must',
      basis: 'product',
      rules: ['oauth.md 5.3'],
      why: 'Whoever posts may write anything into the fields.',
      remedy: 'Check the fields of the form as those of the address.',
      needs: ['pages'],
      judge: (e) =>
        allOf(expectRefused(e.of(`aut.form.changed.${field}`)), () =>
          header(e.of(`aut.form.changed.${field}`), 'location') === undefined
            ? undefined
            : 'it leads elsewhere',
        ),
    }),
  ),
  {
    id: 'AUT-043',
    title: 'A form without its csrf token is refused.',
    level: 'must',
    basis: 'seed',
    rules: CSRF,
    why: 'A page elsewhere could post it in the name of the owner.',
    remedy: 'Answer 400 or 403.',
    needs: ['pages'],
    judge: (e) => expectPage(e.of('aut.form.csrf.none'), 400, 403),
  },
  {
    id: 'AUT-044',
    title: 'A form with a wrong csrf token is refused.',
    level: 'must',
    basis: 'seed',
    rules: CSRF,
    why: 'A page elsewhere could post it in the name of the owner.',
    remedy: 'Answer 403.',
    needs: ['pages'],
    judge: (e) => expectPage(e.of('aut.form.csrf.wrong'), 403),
  },
  {
    id: 'AUT-045',
    title: 'A form with the csrf token of another browser is refused.',
    level: 'must',
    basis: 'seed',
    rules: CSRF,
    why: 'A stranger could fetch a token and plant it.',
    remedy: 'Tie the token to a cookie of the browser.',
    needs: ['pages'],
    judge: (e) => expectPage(e.of('aut.form.csrf.other'), 403),
  },
  {
    id: 'AUT-046',
    title: 'A form from another origin is refused.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 4.4', 'RFC 9700 4.7'],
    why: 'Browsers say where a form comes from.',
    remedy: 'Answer 403 to another Origin.',
    needs: ['pages'],
    judge: (e) => expectPage(e.of('aut.form.origin'), 403),
  },
  {
    id: 'AUT-047',
    title: 'A field that is posted twice is refused.',
    level: 'must',
    basis: 'product',
    rules: ['oauth.md 2.2', 'RFC 6749 3.1 MUST NOT'],
    why: 'Two parts of a server may each read another one.',
    remedy: 'Answer 400.',
    needs: ['pages'],
    judge: (e) => expectPage(e.of('aut.form.twice'), 400),
  },
  {
    id: 'AUT-048',
    title: 'The form carries what the seed names.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, POST /auth/authorize'],
    why: 'Pages of one server are posted by scripts of another.',
    remedy: 'Have the fields state, client_id, scope, csrf_token, response_type, redirect_uri.',
    needs: ['pages'],
    judge: (e) => {
      const names = formsOf(e.of('aut.form.page'))[0]?.fields.map(({ name }) => name) ?? []
      const missing = [
        'state',
        'client_id',
        'scope',
        'csrf_token',
        'response_type',
        'redirect_uri',
      ].filter((name) => !names.includes(name))
      return missing.length === 0 ? undefined : `the field ${missing.join(', ')} is missing`
    },
  },
  {
    id: 'AUT-049',
    title: 'The page lets the browser go on to the client.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 41'],
    why: 'Chrome blocks the redirect when form-action forbids it.',
    remedy: 'Name the origin of the redirect URI in form-action, or leave form-action out.',
    needs: ['pages'],
    judge: (e) => {
      const page = e.of('aut.ok.page')
      return allOf(expectHeader(page, 'content-security-policy', /./), () => {
        const action = /form-action ([^;]*)/.exec(
          header(page, 'content-security-policy') ?? '',
        )?.[1]
        if (action === undefined || action.includes('https://client.contract.example'))
          return undefined
        return /(^|\s)(https:|\*)(\s|$)/.test(action) ? undefined : `form-action is ${action}`
      })
    },
  },
]
