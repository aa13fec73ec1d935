import { rest } from '../../shared.ts'

/** Nothing of it is made beforehand, or kept: with inside.ts these are the answers of the interface. */
export const dynamic = 'force-dynamic'

export {
  rest as DELETE,
  rest as GET,
  rest as HEAD,
  rest as OPTIONS,
  rest as PATCH,
  rest as POST,
  rest as PUT,
}
