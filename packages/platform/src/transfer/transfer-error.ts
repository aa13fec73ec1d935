import { type CodedError, defineErrors, type ErrorClass } from '../define-errors.ts'

/**
 * Why an instance was not exported or imported.
 * @example
 * const { status, text } = TRANSFER_ERRORS.export_damaged
 */
export const TRANSFER_ERRORS = {
  export_completed: {
    status: 409,
    text: 'An export of the instance was completed while it was frozen: a second copy may be alive.',
    source: 'operation.md 4.3',
  },
  export_damaged: {
    status: 400,
    text: 'The file is cut, changed, or no export of an instance. Nothing of it was stored.',
    source: 'operation.md 4.3',
  },
  export_locked: {
    status: 400,
    text: 'The file is not encrypted to this identity or passphrase.',
    source: 'operation.md 4.3',
  },
  export_too_new: {
    status: 409,
    text: 'A later version of this software wrote the file.',
    source: 'operation.md 4.3',
  },
  export_too_slow: {
    status: 503,
    text: 'The instance was frozen for as long as it may be, and not read to its end. It is thawed.',
    source: 'operation.md 4.3',
  },
  import_refused: {
    status: 409,
    text: 'The instance cannot be imported here; the description says why.',
    source: 'operation.md 4.3',
  },
  import_unfinished: {
    status: 409,
    text: 'Another import of the instance is not finished.',
    source: 'operation.md 4.3',
  },
  instance_exists: {
    status: 409,
    text: 'There is an instance with this id or one of these domains.',
    source: 'operation.md 4.3',
  },
  instance_held: {
    status: 409,
    text: 'The instance is being exported, imported or removed.',
    source: 'operation.md 4.3',
  },
  not_held: {
    status: 409,
    text: 'The instance is not frozen, or nothing of it is being imported.',
    source: 'operation.md 4.3',
  },
} as const

/**
 * What an export or import is refused with. Texts are those of `TRANSFER_ERRORS`.
 * @see docs/moving.md of the repository
 */
export type TransferErrorCode = keyof typeof TRANSFER_ERRORS

/** A refusal of an export or an import; `code` names a row of {@link TRANSFER_ERRORS}. */
export const TransferError: ErrorClass<TransferErrorCode> = defineErrors(
  'TransferError',
  TRANSFER_ERRORS,
)
export type TransferError = CodedError<TransferErrorCode>
