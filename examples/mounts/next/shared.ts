import type { OAuth } from '@svc/oauth-core'

/** What a client must be allowed to read the recipes of this server. */
const RECIPES = { verb: 'GET', type: 'io.example.recipes' } as const
/** What both programs say to what is nobody's. */
export const NOTHING = { message: 'No such page here' } as const

/** What the program has, and routes need. */
interface Program {
  readonly oauth: OAuth
  /** Answers what no route of this site has: inside.ts does. */
  readonly answer?: (request: Request) => Promise<Response>
}
const PLACE = Symbol.for('mount-next.program')
// One for all copies of this module that Next makes.
const place = globalThis as { [PLACE]?: Program }

export function share(program: Program): void {
  place[PLACE] = program
}

function shared(): Program {
  const program = place[PLACE]
  if (program === undefined) throw new Error('Neither server.ts nor inside.ts was started')
  return program
}

/** Who reads the recipes, or the answer that refuses. */
export function authenticate(request: Request): ReturnType<OAuth['authenticateRequest']> {
  return shared().oauth.authenticateRequest(request, RECIPES)
}

/** What no route of this site has. */
export async function rest(request: Request): Promise<Response> {
  return shared().answer?.(request) ?? Response.json(NOTHING, { status: 404 })
}
