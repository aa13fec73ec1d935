import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Verification } from '@svc/activity'
import { type ImportKey, type ImportReport, TransferError } from '@svc/platform'
import { describeError, openNewFile } from '@svc/store'
import type { Config } from '../config/config.ts'
import type { HostEventLog } from '../log/log.ts'
import type { HostServices } from '../services.ts'
import { type DomainLoss, DomainLosses } from './domain-losses.ts'
import { ImportSize } from './import-size.ts'

/** What was asked for. */
export interface ImportRequest {
  readonly key: ImportKey
  readonly domain?: string
  readonly dryRun: boolean
  readonly replace: boolean
}

/** How far an import is. */
export type ImportJob =
  | { readonly state: 'running' }
  | {
      readonly state: 'done'
      readonly report: ImportReport
      readonly losses: readonly DomainLoss[]
      /** What the verification of its record of activity found; absent of one that was only tried. */
      readonly activity?: Verification
    }
  | { readonly state: 'failed'; readonly error: Error }

/** Imports that are remembered after their end. */
const KEPT = 20

export interface ImportJobServices {
  readonly app: Pick<HostServices, 'activity' | 'devPages' | 'oauth'>
  readonly config: Pick<Config, 'dataDir' | 'limits' | 'namespace'>
  readonly log: HostEventLog
}

/** Imports of this process: each takes longer than a request may. */
export class ImportJobs {
  readonly #jobs = new Map<string, ImportJob>()

  readonly #services: ImportJobServices

  constructor(services: ImportJobServices) {
    this.#services = services
  }

  /** Takes the file, encrypted as it is, and goes on with it after this resolves. @returns the name of the job */
  async begin(file: Readable, request: ImportRequest): Promise<string> {
    const id = randomUUID()
    const path = join(this.#services.config.dataDir, `import-${id}.age`)
    try {
      await pipeline(file, createWriteStream(path, { fd: openNewFile(path) }))
    } catch (cause) {
      await rm(path, { force: true })
      throw new TransferError('export_damaged', {
        description: `the file did not arrive: ${describeError(cause)}`,
      })
    }
    this.#keep(id, { state: 'running' })
    void this.#run(path, request).then(
      (job) => this.#keep(id, job),
      (error: Error) => this.#keep(id, { state: 'failed', error }),
    )
    return id
  }

  get(id: string): ImportJob | undefined {
    return this.#jobs.get(id)
  }

  #keep(id: string, job: ImportJob): void {
    this.#jobs.set(id, job)
    const [oldest] = this.#jobs.keys()
    if (this.#jobs.size > KEPT && oldest !== undefined) this.#jobs.delete(oldest)
  }

  async #run(path: string, request: ImportRequest): Promise<ImportJob> {
    const { app, config, log } = this.#services
    const losses = new DomainLosses(`${config.namespace}.accounts`)
    const size = new ImportSize(config.limits.disk ?? 0)
    const isMoved = ({ domain, exportedDomain }: ImportReport): boolean => domain !== exportedDomain
    try {
      const report = await app.oauth.transfer.importInstance(createReadStream(path), {
        ...request,
        folder: config.dataDir,
        examine(record) {
          losses.examine(record)
          size.examine(record)
        },
        accept(found) {
          size.check()
          if (isMoved(found) && losses.locksOut) throw lockedOut()
        },
      })
      const done = { state: 'done', report, losses: isMoved(report) ? losses.list() : [] } as const
      if (request.dryRun) return done
      await app.devPages.noteHosts([report.domain, ...report.aliases])
      log.info('instance.imported', { domain: report.domain, records: report.records })
      return { ...done, activity: await app.activity.imported(report) }
    } finally {
      await rm(path, { force: true })
    }
  }
}

function lockedOut(): TransferError {
  return new TransferError('import_refused', {
    description:
      'Passkeys are the only second factor of this owner, and no recovery code is left: under another domain nobody could log in. Have the owner add an authenticator app or make recovery codes first.',
  })
}
