import type { FormPageModel } from './page-models.ts'

/** What a mail about the owner's address leads to: one button. @see owner.md 1.4, 1.5 */
export interface EmailPageModel extends FormPageModel {
  /** `prove`: the address is to become the owner's; `undo`: it is to be put back. */
  readonly kind: 'prove' | 'undo'
  readonly token: string
  readonly address: string
  /** That can take the change back; absent: none can. */
  readonly oldAddress?: string
}
