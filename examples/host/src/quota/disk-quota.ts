import { OAuthError } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import type { Store, Usage } from '@svc/store'
import { BOUNDED_BYTES } from './counted-kinds.ts'

/** What an instance keeps, and may keep, in bytes. */
export interface DiskUse {
  readonly used: number
  /** Absent: no limit. */
  readonly quota?: number
}

/** What is about to be written. */
export interface Growth {
  /** More than before; what shrinks always fits. */
  readonly bytes: number
  /** Kind of the record, and how many there may be: for one more. */
  readonly kind?: string
  readonly most?: number
}

/** What instances may keep. Checked before a write, so that parallel writes may pass the bound by what they hold. */
export interface DiskQuota {
  use(instance: Instance): Promise<DiskUse>
  /** By kind. */
  usage(instance: Instance): Promise<Usage>
  recount(instance: Instance): Promise<Usage>
  /**
   * Lets a write through that makes an instance keep more.
   * @throws OAuthError `quota_exceeded`
   */
  admit(instance: Instance, growth: Growth): Promise<void>
  /** Hears how full an instance is after what was admitted or refused. */
  onUse(listener: (instance: Instance, use: DiskUse) => void): void
}

/** @param everybody - bytes of each instance that has no quota of its own; 0: no limit */
export function createDiskQuota(
  store: Pick<Store, 'recount' | 'usage'>,
  everybody: number,
): DiskQuota {
  let tell: (instance: Instance, use: DiskUse) => void = () => {}

  function toUse({ settings }: Instance, usage: Usage): DiskUse {
    const used = bytesOf(usage)
    const quota = settings.diskQuota ?? everybody
    return quota === 0 ? { used } : { used, quota }
  }

  return {
    use: async (instance) => toUse(instance, await store.usage(instance.id)),
    usage: ({ id }) => store.usage(id),
    recount: ({ id }) => store.recount(id),
    async admit(instance, { bytes, kind, most }) {
      if (bytes <= 0 && most === undefined) return
      const usage = await store.usage(instance.id)
      const { used, quota } = toUse(instance, usage)
      const after = used + bytes
      const isFull = quota !== undefined && bytes > 0 && after > quota
      // A refusal tells of a full space, however little was left.
      tell(instance, { used: isFull ? quota : after, ...(quota !== undefined && { quota }) })
      if (isFull) throw new OAuthError('quota_exceeded')
      const records = kind === undefined ? 0 : (usage[kind]?.records ?? 0)
      if (most !== undefined && records >= most) {
        throw new OAuthError('quota_exceeded', {
          description: `there are ${most} of these already`,
        })
      }
    },
    onUse(listener) {
      tell = listener
    },
  }
}

/** What counts against the quota. */
export function bytesOf(usage: Usage): number {
  return Object.values(usage).reduce((sum, { bytes }) => sum + bytes, BOUNDED_BYTES)
}
