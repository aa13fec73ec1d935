import { expect } from 'chai'
import { isAllowedHost } from '../../../src/client-documents/client-hosts.ts'
import { freshnessOf } from '../../../src/client-documents/fetching/freshness.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

describe('how long a document is fresh (assistants.md 2.5)', () => {
  const at = (ms: number): string => new Date(Date.now() + ms).toUTCString()
  const cases: readonly (readonly [Record<string, string>, number])[] = [
    [{}, HOUR],
    [{ 'cache-control': 'public' }, HOUR],
    [{ 'last-modified': at(-100 * 24 * HOUR) }, HOUR],
    [{ 'cache-control': 'max-age=600' }, 10 * MINUTE],
    [{ 'cache-control': 'public, MAX-AGE=600' }, 10 * MINUTE],
    [{ 'cache-control': 'max-age=600', age: '120' }, 8 * MINUTE],
    [{ 'cache-control': 'max-age=600, s-maxage=1200' }, 20 * MINUTE],
    [{ 'cache-control': 'max-age=1' }, MINUTE],
    [{ 'cache-control': 'max-age=junk' }, MINUTE],
    [{ 'cache-control': 'no-store' }, MINUTE],
    [{ 'cache-control': 'no-cache, max-age=600' }, MINUTE],
    [{ 'cache-control': 'private, max-age=600' }, MINUTE],
    [{ 'cache-control': 'max-age=31536000, immutable' }, 24 * HOUR],
    [{ date: at(0), expires: at(2 * HOUR) }, 2 * HOUR],
    [{ date: at(0), expires: at(-HOUR) }, MINUTE],
    [{ expires: '0' }, MINUTE],
    [{ expires: at(HOUR), 'cache-control': 'max-age=600' }, 10 * MINUTE],
    [{ 'cache-control': 'stale-while-revalidate=86400, max-age=600' }, 10 * MINUTE],
  ]
  for (const [headers, expected] of cases) {
    it(`is ${expected / MINUTE} min by ${JSON.stringify(Object.keys(headers))} ${Object.values(headers)[0] ?? ''}`, () => {
      expect(freshnessOf(headers)).to.be.closeTo(expected, 2000)
    })
  }
})

describe('which hosts may connect (assistants.md 2.10)', () => {
  for (const [host, allowed, denied, expected] of [
    ['client.example', undefined, [], true],
    ['client.example', undefined, ['client.example'], false],
    ['client.example', ['client.example'], [], true],
    ['client.example', ['client.example'], ['client.example'], false],
    ['client.example', ['*.example'], ['client.example'], false],
    ['a.client.example', undefined, ['client.example'], true],
    ['a.client.example', undefined, ['*.client.example'], false],
    ['client.example', undefined, ['*.client.example'], true],
    ['notclient.example', undefined, ['*.client.example'], true],
    ['a.b.client.example', ['*.client.example'], [], true],
    ['other.example', ['client.example', '*.client.example'], [], false],
    ['client.example', [], [], false],
  ] as const) {
    it(`${expected ? 'allows' : 'refuses'} ${host} by ${allowed?.join() ?? 'any'}, not ${denied.join()}`, () => {
      const lists = { denied, ...(allowed !== undefined && { allowed }) }
      expect(isAllowedHost(host, lists)).to.equal(expected)
    })
  }
})
