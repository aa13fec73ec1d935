import { isIP } from 'node:net'
import { list, type Option, text } from '@svc/store/options'

const MOST_NETWORKS = 1000

/** Networks that an operator trusts. */
export function cidrs(): Option<readonly string[]> {
  return list(text('a CIDR such as 10.0.0.0/8', isCidr), MOST_NETWORKS)
}

/** Shorter spellings of IPv4 (`10/8`) are read in different ways by different programs. */
function isCidr(text: string): boolean {
  const [address = '', length = '', ...rest] = text.split('/')
  const family = isIP(address)
  const bits = family === 4 ? 32 : 128
  return (
    family !== 0 &&
    !address.includes('%') &&
    rest.length === 0 &&
    /^\d{1,3}$/.test(length) &&
    Number(length) <= bits
  )
}
