import type { Instance } from '@svc/platform'
import { probeStore } from '../checks/probe-store.ts'
import { type DoctorAnswer, examineInside } from '../checks/doctor.ts'
import type { CheckResult } from '../checks/check.ts'
import { createNames } from '../checks/names.ts'
import { hasOutsideDomain, sampleSites, toSite } from '../checks/sites.ts'
import type { Config } from '../config/config.ts'
import type { HostServices } from '../services.ts'
import { readSealingKeys } from '../storage/sealing-keys.ts'
import { AdminError } from './admin-error.ts'
import { checkBody } from './admin.schema.ts'
import type { AdminRouting } from './owner-routes.ts'

/** What `svc doctor` asks of a running server. */
export function addDoctorRoutes(
  { route }: Pick<AdminRouting, 'route'>,
  app: HostServices,
  config: Config,
): void {
  const { clock, instances, log, store } = app.oauth

  async function find(domain: string): Promise<Instance> {
    const instance = await instances.byHost(domain.toLowerCase())
    if (instance === undefined) throw new AdminError('instance_not_found', 404)
    return instance
  }

  route('post', '/probes', 'server:check', async (ctx) => {
    ctx.status = 201
    ctx.body = { nonce: await app.probe.makeNonce() }
  })

  route('post', '/checks', 'server:check', async (ctx) => {
    const { domain, offline, servers } = checkBody('runChecks', ctx.request.body ?? {})
    const sites =
      typeof domain === 'string' ? [toSite(await find(domain))] : await sampleSites(instances)
    const found: CheckResult[] = []
    const redis = await probeStore(config, found)
    const names = createNames(
      Array.isArray(servers) ? { servers: servers as string[] } : {}, // texts by the schema
    )
    const answer: DoctorAnswer = {
      sites,
      checks: [
        ...found,
        ...(await examineInside(
          {
            config,
            clock,
            store,
            log,
            names,
            sites,
            keys: readSealingKeys(config),
            hasOutsideDomain: await hasOutsideDomain(instances),
            areDevPagesOn: await app.devPages.areOn(),
            ...(redis !== undefined && { redis }),
          },
          offline === true,
        )),
      ],
    }
    ctx.body = answer
  })
}
