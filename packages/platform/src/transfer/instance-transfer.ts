import type { InstanceId } from '../instances/instance.ts'
import type { Instances } from '../instances/instances.ts'
import { exportInstance, type ExportOptions, type ExportServices } from './export-instance.ts'
import { readInstance, unfreeze } from './freeze-instance.ts'
import {
  importInstance,
  type ImportOptions,
  type ImportReport,
  type ImportServices,
} from './import-instance.ts'
import { TransferError } from './transfer-error.ts'

/** Carrying one instance to another server. @see operation.md 4.3 */
export interface InstanceTransfer {
  /**
   * One instance as it is at one moment, as an encrypted file of the format `svc-instance`.
   * @throws while it is read: InstanceError `instance_not_found`, TransferError `instance_held`, `export_too_slow`
   */
  exportInstance(id: InstanceId, options: ExportOptions): AsyncIterable<Uint8Array>
  /**
   * Takes an instance in. The whole file is checked before anything of it is stored; the instance answers when all of it
   * is. One that was cut short is repeated with the same file, or undone with `abortImport`.
   * @throws TransferError, InstanceError `domain_taken`
   */
  importInstance(file: AsyncIterable<Uint8Array>, options: ImportOptions): Promise<ImportReport>
  /** Removes what an unfinished import has stored. @throws TransferError `not_held`; `import_refused` for one that replaces */
  abortImport(id: InstanceId): Promise<void>
  /**
   * Takes an instance into service again that an export froze for good.
   * @param options - `force`: although an export was completed, and a second copy may be alive
   * @throws TransferError `not_held`, `export_completed`
   */
  unfreeze(id: InstanceId, options?: { readonly force?: boolean }): Promise<void>
}

export function createTransfer(
  services: ExportServices & ImportServices & { readonly instances: Pick<Instances, 'remove'> },
): InstanceTransfer {
  return {
    exportInstance: (id, options) => exportInstance(services, id, options),
    importInstance: (file, options) => importInstance(services, file, options),
    async abortImport(id) {
      const { value } = await readInstance(services.store, id)
      if (value.status !== 'importing') {
        throw new TransferError('not_held', { description: 'No import of it is unfinished.' })
      }
      if (value.frozen !== undefined) {
        throw new TransferError('import_refused', {
          description:
            'It was to replace an instance that was here, which is not whole any more. Repeat the import with the same file.',
        })
      }
      await services.instances.remove(id)
    },
    unfreeze: (id, { force = false } = {}) => unfreeze(services, id, force),
  }
}
