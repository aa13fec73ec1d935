/** What is looked at of a route row. */
export interface DeclaredRoute {
  readonly method: string
  readonly path: string
  readonly statuses: readonly number[]
}

interface AnsweredContext {
  readonly status: number
  readonly state: Record<string, unknown>
}

/** Statuses that routes answered, held against what their rows declare. */
export interface RouteStatuses {
  /** The outermost middleware of the server under test; looks at `ctx.state.route`. */
  readonly middleware: (ctx: AnsweredContext, next: () => Promise<unknown>) => Promise<void>
  /** Answers that no row declares, such as `POST /auth/login 418`. 500 and 503 can happen anywhere. */
  undeclared(): readonly string[]
  /** Declared answers of the rows that were not seen. */
  missing(rows: readonly DeclaredRoute[]): readonly string[]
}

/**
 * Records which declared route answered what.
 * @example
 * const statuses = recordStatuses()
 * app.use(statuses.middleware)
 * expect(statuses.undeclared()).to.deep.equal([])
 * expect(statuses.missing(oauth.rows)).to.deep.equal([])
 */
export function recordStatuses(): RouteStatuses {
  const seen = new Set<string>()
  const strange = new Set<string>()
  const name = ({ method, path }: DeclaredRoute, status: number): string =>
    `${method} ${path} ${status}`

  return {
    async middleware(ctx, next) {
      await next()
      // Set by the router of every package.
      const route = ctx.state['route'] as DeclaredRoute | undefined
      if (route === undefined) return
      const answer = name(route, ctx.status)
      seen.add(answer)
      const isDeclared = route.statuses.includes(ctx.status)
      if (!isDeclared && ctx.status !== 500 && ctx.status !== 503) strange.add(answer)
    },
    undeclared: () => [...strange],
    missing: (rows) =>
      rows.flatMap((row) =>
        row.statuses.map((status) => name(row, status)).filter((answer) => !seen.has(answer)),
      ),
  }
}
