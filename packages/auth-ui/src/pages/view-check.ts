import type { Instance, RouteContext } from '@svc/platform'
import { type OptionFault, OptionsError } from '@svc/platform/options'
import { formsIn, type ShownForm, type Tag, tagsOf } from './html-tags.ts'
import { formsOf, type FormPages, type PageForm } from './page-forms.ts'
import type { PageRenderer } from './page-renderer.ts'
import type { OwnViews } from './view-option.ts'
import { VIEW_SAMPLES } from './view-samples.ts'

type Show = (pages: PageRenderer, ctx: RouteContext) => Promise<void>

const SHOWS: Readonly<Record<keyof FormPages, Show>> = {
  login: (pages, ctx) => pages.loginPage(ctx, VIEW_SAMPLES.login),
  passcode: (pages, ctx) => pages.passcodePage(ctx, VIEW_SAMPLES.passcode),
  'choose-passphrase': (pages, ctx) =>
    pages.choosePassphrasePage(ctx, VIEW_SAMPLES['choose-passphrase']),
  renew: (pages, ctx) => pages.renewPage(ctx, VIEW_SAMPLES.renew),
  reset: (pages, ctx) => pages.resetPage(ctx, VIEW_SAMPLES.reset),
  confirm: (pages, ctx) => pages.confirmPage(ctx, VIEW_SAMPLES.confirm),
  consent: (pages, ctx) => pages.consentPage(ctx, VIEW_SAMPLES.consent),
  assistant: (pages, ctx) => pages.assistantPage(ctx, VIEW_SAMPLES.assistant),
}

/** Fields that a page may leave out: what is not sent has a meaning of its own. */
const OPTIONAL =
  /^(?:choice|permission-\d+|duration|hint|long-run-session|two-factor-generate-.+)$/u
/** Inputs that need no label. */
const UNLABELLED = new Set(['hidden', 'submit', 'button', 'image', 'reset'])

/**
 * Shows a sample on each template of the host, in every language there is.
 * @throws OptionsError naming everything that the templates lack
 */
export async function checkViews(views: OwnViews, pages: PageRenderer): Promise<void> {
  const faults: OptionFault[] = []
  for (const view of Object.keys(views) as (keyof FormPages)[]) {
    const problems = new Set<string>()
    for (const locale of pages.locales) {
      for (const problem of await problemsOf(view, pages, locale)) problems.add(problem)
    }
    faults.push(...[...problems].map((problem) => ({ path: `options.views.${view}`, problem })))
  }
  if (faults.length > 0) throw new OptionsError(faults)
}

async function problemsOf(
  view: keyof FormPages,
  pages: PageRenderer,
  locale: string,
): Promise<readonly string[]> {
  const ctx = sampleContext(locale)
  try {
    await SHOWS[view](pages, ctx)
  } catch (error) {
    return [`cannot be shown: ${String((error as Error).message).replace(/\s+/gu, ' ')}`]
  }
  const tags = tagsOf(String(ctx.body))
  const forms = formsIn(tags)
  return [
    // The sample is of this view.
    ...formsOf(view, VIEW_SAMPLES[view] as never).flatMap((form) => lacking(form, forms)),
    ...unlabelled(tags),
    ...inline(tags),
  ]
}

function lacking(form: PageForm, forms: readonly ShownForm[]): readonly string[] {
  const { action, hidden, fields, derivation } = form
  const shown = forms.find(({ attributes }) => attributes.get('action') === action)
  if (shown === undefined) return [`lacks the form with the action ${action}`]
  const { attributes, tags } = shown
  const valueOf = (field: string): string | undefined =>
    tags.find((tag) => tag.attributes.get('name') === field)?.attributes.get('value')
  const has = (field: string): boolean => tags.some((tag) => tag.attributes.get('name') === field)
  const missing = (field: string): string => `lacks the field ${field} of ${action}`
  return [
    ...(attributes.get('method')?.toLowerCase() === 'post'
      ? []
      : [`lacks method=post of ${action}`]),
    ...Object.entries(hidden)
      .filter(([field, value]) => valueOf(field) !== value)
      .map(([field]) => missing(field)),
    ...fields.filter((field) => !OPTIONAL.test(field) && !has(field)).map(missing),
    // Without it our script leaves the field empty.
    ...('passphrase_raw' in hidden && !attributes.has('data-import')
      ? [`lacks data-import of ${action}`]
      : []),
    ...(derivation === undefined || attributes.get('data-salt') === derivation.salt
      ? []
      : [`lacks data-salt of ${action}`]),
    ...(derivation === undefined ||
    'iterations' in hidden ||
    attributes.get('data-iterations') === String(derivation.iterations)
      ? []
      : [`lacks data-iterations of ${action}`]),
  ]
}

/** What an owner fills in has a name that is read out. */
function unlabelled(tags: readonly Tag[]): readonly string[] {
  const labelled = new Set(
    tags.filter(({ name }) => name === 'label').map(({ attributes }) => attributes.get('for')),
  )
  let depth = 0
  const found: string[] = []
  for (const { name, isEnd, attributes } of tags) {
    if (name === 'label') depth += isEnd ? -1 : 1
    if (isEnd || !['input', 'select', 'textarea'].includes(name)) continue
    const isSilent =
      UNLABELLED.has(attributes.get('type') ?? '') || attributes.get('aria-hidden') === 'true'
    const isNamed =
      depth > 0 ||
      labelled.has(attributes.get('id') ?? '') ||
      attributes.has('aria-label') ||
      attributes.has('aria-labelledby')
    if (!isSilent && !isNamed)
      found.push(`lacks a label of the field ${attributes.get('name') ?? ''}`)
  }
  return found
}

/** The policy of pages lets nothing inline run. */
function inline(tags: readonly Tag[]): readonly string[] {
  return tags.flatMap(({ name, isEnd, attributes }) => {
    if (isEnd) return []
    if ((name === 'script' && !attributes.has('src')) || name === 'style')
      return [`has an inline <${name}>`]
    const bad = [...attributes.keys()].find((key) => key === 'style' || /^on[a-z]+$/u.test(key))
    return bad === undefined ? [] : [`has the attribute ${bad} on <${name}>`]
  })
}

/** As much of a request as pages read. */
function sampleContext(locale: string): RouteContext {
  const instance = {
    domain: 'sample.example',
    origin: 'https://sample.example',
    isHttps: true,
    locale,
    publicName: 'Sample',
  } as Instance
  const nothing = (): void => {}
  const ctx = {
    state: { instance },
    method: 'GET',
    path: '/auth/login',
    url: '/auth/login',
    get: () => '',
    set: nothing,
    vary: nothing,
    body: '',
  }
  return ctx as unknown as RouteContext // see above
}
