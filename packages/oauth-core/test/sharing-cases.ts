import type { Sharings } from '../src/authorize/sharings.ts'
import { parseScope } from '../src/scopes/scope.ts'
import type { Send } from './oauth-server.ts'

/** One sharing, called `x`, that is never used up. */
export const SAMPLE_SHARINGS: Sharings = {
  find: async (_, id) => (id === 'x' ? offer('io.svc.files:GET') : undefined),
  parseRules: async (_, { rules }) => offer(rules),
  accept: async () => ({ path: '/' }),
  addShortcut: async () => ({ path: '/' }),
  cancelUrl: async () => undefined,
}

function offer(rules: string) {
  const sharer = { name: 'Bob', domain: 'bob.example.com' }
  const permissions = parseScope(rules)
  return permissions && { id: 'x', sharer, permissions, appSlug: 'drive' }
}

/** A request for every answer that the rows of sharings declare. */
export function sharingCases(
  owner: Readonly<Record<string, string>>,
  asked: Readonly<Record<string, string>>,
  outOfBand: Readonly<Record<string, string>>,
): readonly { row: string; status: number; request: Send; target?: string }[] {
  const path = '/auth/authorize/sharing'
  const of = (row: string) => (status: number, request: Send, target?: string) => ({
    row,
    status,
    request,
    ...(target === undefined ? {} : { target }),
  })
  const show = of(`GET ${path}`)
  const accept = of(`POST ${path}`)
  const cancel = of(`GET ${path}/:id/cancel`)
  const form = { sharing_id: 'x', state: 's' }
  const plain = `${path}?sharing_id=x&state=s`
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  return [
    show(200, { headers: owner }, plain),
    show(302, {}, plain),
    show(302, { headers: owner }, `${plain}&shortcut=true`),
    show(400, { headers: owner }),
    accept(200, { form: { ...asked, ...outOfBand }, headers: owner }),
    accept(302, { form: asked, headers: owner }),
    accept(302, { form, headers: owner }),
    accept(400, { form: {}, headers: owner }),
    accept(401, { form }),
    accept(403, { form, headers: { ...owner, 'x-test-csrf': 'wrong' } }),
    accept(413, { body: 'x'.repeat(70_000), headers: type }),
    accept(415, { json: form, headers: owner }),
    cancel(302, { headers: owner }, `${path}/x/cancel`),
    cancel(400, { headers: owner }, `${path}/x/cancel?%zz`),
    cancel(401, {}, `${path}/x/cancel`),
  ]
}
