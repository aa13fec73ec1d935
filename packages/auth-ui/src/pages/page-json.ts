import { prefersJson, type RouteContext } from '@svc/platform'
import type { Client } from '@svc/oauth-core'
import type { ViewName } from '../views.ts'
import type { AssistantPageModel, ConsentPageModel } from './page-models.ts'
import { formsOf, type FormPages, isFormPage, type PageForm } from './page-forms.ts'

/**
 * A page as data, for a front end of the host on the instance's own pages: its forms, and what the page is about. Texts
 * are left out. The rest depends on the page; see `docs/recipes/own-pages.md`.
 * @example
 * const answer = await fetch('/auth/login', { headers: { accept: 'application/json' } })
 * const { page, forms } = (await answer.json()) as PageData
 */
export interface PageData {
  readonly page: keyof FormPages
  readonly forms: readonly PageForm[]
  readonly [fact: string]: unknown
}

/** What of a model is in the forms already, or is for headers. */
const LEFT_OUT = new Set([
  'appNames',
  'csrfToken',
  'emailVerifiedCode',
  'formActionSources',
  'iterations',
  'registerToken',
  'salt',
  'token',
  'view',
])

/**
 * Whether a request is answered with data: a script of the same origin that asks for JSON. Everybody else gets the page,
 * so that no other site and no client of the interface ever has more than that. @see docs/decisions/0637
 */
export function wantsPageData(ctx: RouteContext): boolean {
  return ctx.method === 'GET' && ctx.get('Sec-Fetch-Site') === 'same-origin' && prefersJson(ctx)
}

/** The page as data; undefined where it is none that has a form for owners. @param model - what the view is given */
export function pageData(view: ViewName, model: object): PageData | undefined {
  if (!isFormPage(view)) return undefined
  return dataOf(view, (model as { readonly model: FormPages[typeof view] }).model) // of this view
}

function dataOf<View extends keyof FormPages>(view: View, model: FormPages[View]): PageData {
  const facts = Object.entries(model).filter(([name]) => !LEFT_OUT.has(name))
  return {
    ...Object.fromEntries(facts),
    ...('view' in model ? askedOf(model) : {}),
    page: view,
    forms: formsOf(view, model),
  }
}

/** Who asks for what. Of the client only what it says of itself to everybody. */
function askedOf({ view }: ConsentPageModel | AssistantPageModel): object {
  const { client, fields: _inForm, formActionSource: _ofHeaders, ...asked } = view
  const { linkedApp, resource, ...rest } = { linkedApp: undefined, resource: undefined, ...asked }
  return {
    ...rest,
    client: aboutClient(client),
    ...(linkedApp === undefined ? {} : { app: { slug: linkedApp.slug, name: linkedApp.name } }),
    ...(resource === undefined ? {} : { resource: { name: resource.name, path: resource.path } }),
  }
}

function aboutClient({ id, metadata, formerName, unnamed }: Client): object {
  const { client_name: name, client_uri: uri, logo_uri: logo, policy_uri: policy } = metadata
  return {
    id,
    name,
    ...(unnamed === undefined ? {} : { unnamed: true }),
    ...(formerName === undefined ? {} : { formerName }),
    ...(uri === undefined ? {} : { uri }),
    ...(logo === undefined ? {} : { logo }),
    ...(policy === undefined ? {} : { policy }),
  }
}
