import type { PlannedChange } from '../writes/planned-change.ts'
import { packHead, packTail } from './packed-record.ts'
import { TTL_MARGIN_MS } from './scripts.ts'

/**
 * What the script of a write is told of a change.
 * @param isCounted - whether its kind is counted
 */
export function changeArguments(
  change: PlannedChange,
  revision: string,
  now: number,
  isCounted: boolean,
): (string | number)[] {
  const { op, expiresAt } = change
  const condition = `${change.ifAbsent ? 'a' : ''}${change.ifPresent ? 'p' : ''}${isCounted ? 'u' : ''}`
  return [
    op.charAt(0),
    condition,
    change.ifRevision ?? '',
    expiresAt === undefined ? '' : expiresAt - now + TTL_MARGIN_MS,
    content(change, revision),
  ]
}

function content({ op, expiresAt, entries, text }: PlannedChange, revision: string): string {
  if (op === 'put') return packHead(revision, expiresAt) + packTail(entries, text)
  if (op === 'touch') return packHead(revision, expiresAt)
  return op === 'revise' ? text : ''
}
