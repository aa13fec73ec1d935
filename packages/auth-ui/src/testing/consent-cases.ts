import type { ConsentView } from '@svc/oauth-core'
import { FORTY, HARD_STATE, MARKUP, sampleView, TURNED } from './consent-samples.ts'
import type { ShownForm, Tag } from '../pages/html-tags.ts'

/** How wide a page is in a window of that width, both in CSS pixels. */
export type Measure = (url: string, width: number) => Promise<number>

/** A page that was shown. */
export interface ShownPage {
  readonly view: ConsentView
  readonly status: number
  readonly headers: Headers
  readonly html: string
  readonly tags: readonly Tag[]
  readonly words: string
  /** The form that answers; its fields. */
  readonly form: ShownForm | undefined
  /** Address of the same page, while the case runs. */
  readonly url: string
}

/** What a case is checked with. */
export interface CaseTools {
  readonly measure: Measure | undefined
  show(view: ConsentView): Promise<ShownPage>
}

/** Answers what is wrong; undefined: nothing. */
type ConsentCase = (tools: CaseTools) => Promise<string | undefined>

const NARROW = 320
const MAX_PAGE_BYTES = 50_000

/** What a consent page owes its reader, by a name that says it. */
export const CONSENT_CASES: Readonly<Record<string, ConsentCase>> = {
  'one form posts the answer': ofPlain(({ form, tags }) => {
    if (form === undefined) return 'no form has the action /auth/authorize'
    if (form.attributes.get('method')?.toLowerCase() !== 'post')
      return 'the form has another method'
    const posting = tags.filter(({ name, isEnd }) => name === 'form' && !isEnd)
    return posting.length === 1 ? undefined : `there are ${posting.length} forms`
  }),
  'the form carries every hidden field': ofPlain(missingField),
  'the form carries a token, whose cookie is set': ofPlain((page) => {
    if ((valueOf(page, 'csrf_token') ?? '') === '') return 'csrf_token is missing'
    return page.headers.has('set-cookie') ? undefined : 'no cookie is set'
  }),
  'a button answers yes without a script': ofPlain(({ form }) =>
    form?.tags.some(
      ({ name, attributes }) =>
        (name === 'button' || name === 'input') &&
        (attributes.get('type') ?? (name === 'button' ? 'submit' : 'text')) === 'submit' &&
        !attributes.has('disabled') &&
        !attributes.has('hidden'),
    ) === true
      ? undefined
      : 'the form has no submit button that works',
  ),
  'a link refuses': ofPlain((page) =>
    hrefsOf(page).includes(page.view.cancelUrl) ? undefined : 'no link leads to cancelUrl',
  ),
  'the policy is strict': ofPlain(({ headers }) => {
    const policy = headers.get('content-security-policy') ?? ''
    if (!/default-src '(?:none|self)'/u.test(policy)) return 'default-src is open'
    if (!policy.includes("frame-ancestors 'none'")) return 'the page can be framed'
    return /unsafe-|\*/u.test(policy) ? 'the policy allows too much' : undefined
  }),
  'the policy lets the answer end at the client': ofPlain(formAction),
  'the policy lets the answer end at an app of the device': ofView(
    { redirectUri: 'notes:/done', cancelUrl: 'notes:/done?error=x', formActionSource: 'notes:' },
    formAction,
  ),
  'nothing is kept': ofPlain(({ headers }) =>
    headers.get('cache-control') === 'no-store' ? undefined : 'the page may be cached',
  ),
  'nothing inline runs': ofPlain(({ tags }) => {
    const bad = tags.find(
      ({ name, isEnd, attributes }) =>
        (name === 'script' && !isEnd && !attributes.has('src')) ||
        [...attributes.keys()].some((key) => key.startsWith('on') || key === 'style'),
    )
    return bad === undefined ? undefined : `<${bad.name}> has a script or a style of its own`
  }),
  'nothing comes from elsewhere': ofPlain(({ tags }) => {
    const loading = [
      'audio',
      'embed',
      'iframe',
      'img',
      'link',
      'object',
      'script',
      'source',
      'video',
    ]
    const outside = tags
      .filter(({ name }) => loading.includes(name))
      .map(({ attributes }) => attributes.get('src') ?? attributes.get('href') ?? '')
      .find((address) => /^(?:[a-z][a-z0-9+.-]*:|\/\/)/iu.test(address))
    return outside === undefined ? undefined : `${outside} is loaded`
  }),
  'the client and the place of the answer are named': ofPlain(({ words }) => {
    if (!words.includes('Notes')) return 'the name of the client is missing'
    return words.includes('client.example') ? undefined : 'the host of the answer is missing'
  }),
  'a name with markup is text': async ({ show }) => {
    const plain = await show(sampleView())
    const page = await show(sampleView({}, MARKUP))
    if (page.tags.length !== plain.tags.length) return 'the name became markup'
    return page.words.includes('onerror=alert(1)') ? undefined : 'the name is not shown'
  },
  'a name does not turn its sentence round': async ({ show }) => {
    const { html } = await show(sampleView({}, TURNED))
    if (!html.includes('\u202e')) return undefined
    return /<bdi[^>]*>[^<]*\u202e/u.test(html) ? undefined : 'the name stands outside of <bdi>'
  },
  'a long name is shown': async ({ show }) => {
    const page = await show(sampleView({}, 'Name '.repeat(40).trim()))
    return page.status === 200 ? missingField(page) : `the status is ${page.status}`
  },
  'hard characters come back byte for byte': async ({ show }) => {
    const page = await show(sampleView({}, 'Notes', { state: HARD_STATE }))
    return valueOf(page, 'state') === HARD_STATE ? undefined : 'state was changed'
  },
  'a hostile address is no link': async ({ show }) => {
    const hostile = 'javascript:alert(1)//"><script>alert(2)</script>'
    const plain = await show(sampleView())
    const { formActionSource: _none, ...view } = sampleView({
      redirectUri: hostile,
      cancelUrl: hostile,
    })
    const page = await show(view)
    if (hrefsOf(page).some((href) => /^\s*(?:javascript|data|vbscript):/iu.test(href)))
      return 'a link runs a script'
    const scripts = ({ tags }: ShownPage): number =>
      tags.filter(({ name, isEnd }) => name === 'script' && !isEnd).length
    return scripts(page) === scripts(plain) ? undefined : 'the address became markup'
  },
  'forty permissions are all said': async ({ show }) => {
    const scope = FORTY.map(({ type }) => type).join(' ')
    const page = await show(sampleView({ permissions: FORTY }, 'Notes', { scope }))
    if (Buffer.byteLength(page.html) > MAX_PAGE_BYTES) return `more than ${MAX_PAGE_BYTES} bytes`
    const silent = FORTY.filter(({ type }) => !page.words.includes(type))
    return silent.length === 0 ? missingField(page) : `nothing is said of ${silent[0]?.type}`
  },
  'other rights are another page': async ({ show }) => {
    const reads = await show(sampleView({ permissions: [{ type: 'a.b', verbs: ['GET'] }] }))
    const deletes = await show(sampleView({ permissions: [{ type: 'a.b', verbs: ['DELETE'] }] }))
    return reads.words === deletes.words ? 'reading and deleting look the same' : undefined
  },
  'it is read on 320 pixels': async ({ measure, show }) => {
    const page = await show(sampleView({}, 'Unbreakable'.repeat(8)))
    const has = (wanted: string): boolean => page.tags.some(({ name }) => name === wanted)
    if (!page.tags.some(({ attributes }) => attributes.get('name') === 'viewport'))
      return 'there is no viewport'
    if (!has('h1') || !has('title')) return 'there is no title or no heading'
    if (page.tags.find(({ name }) => name === 'html')?.attributes.has('lang') !== true)
      return 'the language is not said'
    const width = await measure?.(page.url, NARROW)
    return width === undefined || width <= NARROW ? undefined : `it is ${width} pixels wide`
  },
}

function ofPlain(check: (page: ShownPage) => string | undefined): ConsentCase {
  return ofView({}, check)
}

function ofView(
  changes: Parameters<typeof sampleView>[0],
  check: (page: ShownPage) => string | undefined,
): ConsentCase {
  return async ({ show }) => {
    const page = await show(sampleView(changes))
    return page.status === 200 ? check(page) : `the status is ${page.status}`
  }
}

function missingField(page: ShownPage): string | undefined {
  const [name] =
    Object.entries(page.view.fields).find(([key, value]) => valueOf(page, key) !== value) ?? []
  return name === undefined ? undefined : `the field ${name} is missing or changed`
}

function formAction({ headers, view: { formActionSource = '' } }: ShownPage): string | undefined {
  const policy = headers.get('content-security-policy') ?? ''
  const sources = /form-action ([^;]+)/u.exec(policy)?.[1]?.split(' ') ?? []
  return sources.includes("'self'") && sources.includes(formActionSource)
    ? undefined
    : `form-action lacks ${formActionSource}`
}

function valueOf({ form }: ShownPage, field: string): string | undefined {
  return form?.tags
    .find(({ name, attributes }) => name === 'input' && attributes.get('name') === field)
    ?.attributes.get('value')
}

function hrefsOf({ tags }: ShownPage): readonly string[] {
  return tags
    .filter(({ name }) => name === 'a')
    .map(({ attributes }) => attributes.get('href') ?? '')
}
