import { randomBytes } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { appHost, hostName } from '@svc/platform'
import type { Config } from '../config/config.ts'
import { isLocalhost } from '../config/own-names.ts'
import { type Check, fault, type Finding, ok, type Site } from './check.ts'

/** Answers of the DNS, or of the operator instead. */
export interface Names {
  /** Addresses of a host; none when it does not resolve. */
  addresses(host: string): Promise<string[]>
  /** TXT records, each in one piece. */
  texts(name: string): Promise<string[]>
  /** An address that the operator gave for this host and port. */
  given(host: string, port: number): string | undefined
}

export interface NamesOptions {
  /** Of DNS servers, as `address` or `address:port`. @defaultValue those of the system */
  readonly servers?: readonly string[]
  /** `host:port:address`, as curl has it; a host of `*.example.org` covers every name below. */
  readonly resolve?: readonly string[]
}

const TIMEOUT_MS = 3000

/** @throws TypeError when `resolve` is malformed */
export function createNames(options: NamesOptions = {}): Names {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 })
  if (options.servers !== undefined) resolver.setServers(options.servers)
  const rules = (options.resolve ?? []).map(readRule)

  async function addresses(host: string): Promise<string[]> {
    const byOperator = rules.find((rule) => covers(rule.host, host))
    if (byOperator !== undefined) return [byOperator.address]
    const found = await Promise.all([
      resolver.resolve4(host).catch(() => []),
      resolver.resolve6(host).catch(() => []),
    ])
    return found.flat()
  }

  return {
    addresses,
    texts: async (name) => {
      const records = await resolver.resolveTxt(name).catch(() => [])
      return records.map((parts) => parts.join(''))
    },
    given: (host, port) =>
      rules.find((rule) => covers(rule.host, host) && rule.port === port)?.address,
  }
}

interface Rule {
  readonly host: string
  readonly port: number
  readonly address: string
}

function readRule(text: string): Rule {
  const [, host = '', port = '', bracketed, plain] =
    /^([^:]+):(\d{1,5}):(?:\[([^\]]+)\]|(.+))$/.exec(text) ?? []
  const address = bracketed ?? plain ?? ''
  if (isIP(address) === 0) throw new TypeError(`--resolve reads host:port:address, not ${text}`)
  return { host, port: Number(port), address }
}

function covers(rule: string, host: string): boolean {
  return rule.startsWith('*.') ? host.endsWith(rule.slice(1)) : rule === host
}

/** What checks of names ask. */
export interface NamesContext {
  readonly config: Pick<Config, 'subdomains'>
  readonly names: Names
  readonly sites: readonly Site[]
}

export const DNS_CHECKS: readonly Check<NamesContext>[] = [
  {
    id: 'dns.domain',
    when: 'doctor',
    isNetwork: true,
    run: (context) =>
      eachName(
        context,
        ({ domain }) => hostName(domain),
        (host) => host,
      ),
  },
  {
    id: 'dns.wildcard',
    when: 'doctor',
    isNetwork: true,
    run: (context) =>
      eachName(
        context,
        // Nobody made this name: only a wildcard answers for it.
        ({ domain }) =>
          appHost(
            hostName(domain),
            `a${randomBytes(6).toString('hex')}`,
            context.config.subdomains,
          ),
        (host) => host.replace(/^[^.]+/, '*'),
      ),
  },
]

async function eachName(
  { names, sites }: NamesContext,
  hostOf: (site: Site) => string,
  recordOf: (host: string) => string,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const site of sites) {
    const host = hostOf(site)
    const record = recordOf(host)
    if (isLocalhost(host) || isIP(host) !== 0) {
      findings.push(ok(`${record} is a name of this machine.`))
      continue
    }
    const [address] = await names.addresses(host)
    findings.push(
      address === undefined
        ? fault(
            `${record} does not resolve.`,
            `Create an A or AAAA record ${record} with the address of this server.`,
          )
        : ok(`${record} leads to ${address}.`),
    )
  }
  return findings
}
