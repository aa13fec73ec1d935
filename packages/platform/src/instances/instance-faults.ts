import type { Directory } from './directory.ts'
import { normalizeDomain } from './domain.ts'
import { type Addressing, malformedMembers } from './instance-record.ts'
import type { InstanceFault, Instances, NewInstance } from './instances.ts'

interface Services {
  readonly directory: Pick<Directory, 'conflict'>
  readonly addressing: Addressing
  readonly byExternalId: Instances['byExternalId']
}

/** What keeps an instance from being made, by itself and by what is in the store. */
export async function instanceFaults(
  services: Services,
  input: NewInstance,
): Promise<readonly InstanceFault[]> {
  const { domain, aliases = [], externalId } = input
  const faults: InstanceFault[] = malformedMembers(input).map((path) => ({
    path,
    problem: 'is malformed',
  }))
  for (const [at, asked] of [domain, ...aliases].entries()) {
    const problem = await problemOf(services, asked)
    if (problem !== undefined) {
      faults.push({ path: at === 0 ? 'domain' : `aliases[${at - 1}]`, problem })
    }
  }
  if (externalId !== undefined && (await services.byExternalId(externalId)) !== undefined) {
    faults.push({ path: 'externalId', problem: 'is that of another instance' })
  }
  return faults
}

async function problemOf(
  { addressing, directory }: Services,
  asked: string,
): Promise<string | undefined> {
  let host: string
  try {
    host = normalizeDomain(asked, addressing)
  } catch {
    return 'is malformed'
  }
  const other = await directory.conflict(host)
  if (other === undefined) return undefined
  return other === host ? 'is taken' : `shares cookies with ${other}, which is taken`
}
