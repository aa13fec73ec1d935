import type { KeyStatus, KeyStatusReader, SealingKeyStatus } from '@svc/platform'
import type { SettableFigures } from './settable-figures.ts'
import type { StatusLine } from './status.ts'

/** Shows how many values each key has sealed, once they were counted. */
export function showSealingValues({ keys, countedAt }: KeyStatus, settable: SettableFigures): void {
  if (countedAt === undefined) return
  settable.setSealingValues(new Map(keys.map((key) => [key.kid, valuesOf(key)])))
}

/** The line of `svc status`: what was counted last. It counts nothing itself, since that reads everything. */
export async function keysLine(
  reader: Pick<KeyStatusReader, 'last'>,
  settable: SettableFigures,
): Promise<StatusLine> {
  const status = await reader.last()
  showSealingValues(status, settable)
  const ring = status.keys
    .filter(({ position }) => position !== undefined)
    .toSorted((one, other) => (one.position ?? 0) - (other.position ?? 0))
  const [first, ...others] = ring.map(({ kid }) => kid)
  const behind = others.length === 0 ? '' : `; ${others.join(', ')} only open`
  const mayGo = ring.filter((key) => key.mayGo && key.state === 'empty').map(({ kid }) => kid)
  const goes = mayGo.length === 0 ? '' : ` Nothing is sealed with ${mayGo.join(', ')} any more.`
  const facts = {
    kids: ring.map(({ kid }) => kid),
    ...(status.countedAt !== undefined && {
      counted_at: new Date(status.countedAt).toISOString(),
      values: Object.fromEntries(status.keys.map((key) => [key.kid, valuesOf(key)])),
    }),
  }
  return { state: 'ok', text: `${first} seals${behind}.${goes}`, facts }
}

function valuesOf({ values }: SealingKeyStatus): number {
  return Object.values(values).reduce((sum, count) => sum + count, 0)
}
