import type { Json } from '@svc/store'

/** Which device tokens (their digests) a notification was tried on, over both stages and all attempts. */
export interface DeliveryMemo {
  /** Their provider took it. */
  readonly sent: ReadonlySet<string>
  /** Will never get it. */
  readonly failed: ReadonlySet<string>
  /** Worth another try. */
  readonly waiting: ReadonlySet<string>
}

/** What the channel kept of earlier attempts; anything else counts as none. */
export function readMemo(memo: Json | undefined): DeliveryMemo {
  const { sent, failed, waiting } = isObject(memo) ? memo : {}
  return { sent: toSet(sent), failed: toSet(failed), waiting: toSet(waiting) }
}

export function writeMemo({ sent, failed, waiting }: DeliveryMemo): Json {
  return { sent: [...sent], failed: [...failed], waiting: [...waiting] }
}

function isObject(value: Json | undefined): value is { readonly [name: string]: Json | undefined } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toSet(value: Json | undefined): ReadonlySet<string> {
  return new Set(Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [])
}
