import type { Header } from '../model/exchange.ts'
import { everywhere, type ServerBreak } from './server-break.ts'

/** Headers that every answer lacks, or has in another form. */
export function headerBreaks(): readonly ServerBreak[] {
  const without = [
    'Content-Security-Policy',
    'X-Content-Type-Options',
    'Cache-Control',
    'Referrer-Policy',
    'WWW-Authenticate',
    'Allow',
    'Retry-After',
    'X-Frame-Options',
    'Content-Type',
    'Access-Control-Allow-Origin',
    'Pragma',
  ]
  const others: readonly Header[] = [
    ['X-Powered-By', 'Broken'],
    ['Set-Cookie', 'planted=1; Path=/'],
    ['Access-Control-Allow-Credentials', 'true'],
  ]
  return [
    ...without.map((name) =>
      everywhere(
        'header dropped',
        `no answer has ${name}`,
        ['WEB', 'TOK', 'BEA', 'REG', 'MET', 'AUT', 'LIM', 'APP', 'SES', 'NOT'],
        /./,
        () =>
          ({ answer }) => {
            const headers = answer.headers.filter(
              ([one]) => one.toLowerCase() !== name.toLowerCase(),
            )
            return headers.length === answer.headers.length ? answer : { ...answer, headers }
          },
      ),
    ),
    ...others.map((added) =>
      everywhere(
        'header added',
        `every answer has ${added[0]}`,
        ['WEB', 'MET', 'TOK', 'APP', 'SES'],
        new RegExp(`${added[0]}|cookie|says it`, 'i'),
        () =>
          ({ answer }) => ({
            ...answer,
            headers: [...answer.headers, added],
          }),
      ),
    ),
    ...['HttpOnly', 'SameSite', 'Path'].map((attribute) =>
      everywhere(
        'cookie attribute',
        `no cookie has ${attribute}`,
        ['SES'],
        new RegExp(attribute),
        () =>
          ({ answer }) => ({
            ...answer,
            headers: answer.headers.map(
              ([name, value]): Header => [
                name,
                name.toLowerCase() === 'set-cookie'
                  ? value.replace(new RegExp(`;\\s*${attribute}(=[^;]*)?`, 'gi'), '')
                  : value,
              ],
            ),
          }),
      ),
    ),
  ]
}
