import { refusalResponse } from '@svc/oauth-core'
import { authenticate } from '../../shared.ts'

export async function GET(request: Request): Promise<Response> {
  const seen = await authenticate(request)
  if (!seen.ok) return refusalResponse(seen)
  return Response.json({ recipes: [`Soup of ${seen.instance.domain}`] })
}
