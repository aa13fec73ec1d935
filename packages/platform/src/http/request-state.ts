import type { RequestLoad } from '../load/request-load.ts'
import type { Context } from 'koa'
import type { Instance } from '../instances/instance.ts'
import type { Parameters } from './parameters.ts'

/** What this project keeps in `ctx.state`. */
export interface RequestState {
  /** Set by `resolveInstance`. */
  instance?: Instance
  /** Set by `resolveInstance` on an app's host: the interface's own paths are 404 there (D53). */
  appSlug?: string
  /** The row that answers. Set by the router; for logs, metrics and limits, since paths have more than one spelling. */
  route?: { readonly method: string; readonly path: string }
  /** The parsed query. Set by the router. */
  query: Parameters
  /** The parsed form body, empty when the body is not a form. Set by the router. */
  form: Parameters
  /** The parsed JSON body; undefined when there is none. Set by the router. */
  json?: unknown
  /** What the request has of the process's bounds. Set by `limitLoad`, where there is one. */
  load?: RequestLoad
  /** The body as the row's schema describes it: the JSON, or the fields of the form. Set by the router. */
  body?: unknown
  /** Code of the error that was answered. Set by whatever renders it; for logs, metrics and health. */
  failure?: string
  /** Id of the request in the log. */
  requestId?: string
}

/** A Koa context behind a row: the instance is known and the body read. */
export type RouteContext<Body = unknown> = Context & {
  state: RequestState & { instance: Instance; body?: Body }
}
