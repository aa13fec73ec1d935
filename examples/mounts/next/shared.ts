import type { OAuth } from '@svc/oauth-core'

/** What a client must be allowed to read the recipes of this server. */
const RECIPES = { verb: 'GET', type: 'io.example.recipes' } as const
const PLACE = Symbol.for('mount-next.oauth')
// One for all copies of this module that Next makes.
const shared = globalThis as { [PLACE]?: OAuth }

export function share(oauth: OAuth): void {
  shared[PLACE] = oauth
}

/** Who reads the recipes, or the answer that refuses. */
export function authenticate(request: Request): ReturnType<OAuth['authenticateRequest']> {
  const oauth = shared[PLACE]
  if (oauth === undefined) throw new Error('server.ts was not started')
  return oauth.authenticateRequest(request, RECIPES)
}
