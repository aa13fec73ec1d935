import { DAY_MS } from '@svc/platform'
import type { Config } from '../config/config.ts'
import { hasTls } from '../config/addressing.ts'
import { isLoopback } from '../config/own-names.ts'
import { type Check, fault, type Finding, ok, type Site, warning } from './check.ts'
import type { Base, OutsideClient } from './outside-client.ts'

/** What checks from the outside ask. */
export interface OutsideContext {
  /** Of the running server. */
  readonly config: Pick<Config, 'tls' | 'trustProxy'>
  readonly clock: { now(): number }
  readonly sites: readonly Site[]
  readonly outside: OutsideClient
  /** Makes a nonce that the server answers to once; absent without a running server. */
  readonly makeNonce?: () => Promise<string>
}

/** What `GET /health/probe` answers. */
export interface ProbeAnswer {
  /** Domain of the instance of the Host that arrived; null when it is nobody's. */
  readonly instance: string | null
  /** Slug, on a host of an app. */
  readonly app: string | null
  readonly scheme: 'http' | 'https'
  readonly client_address: string
  /** How many proxies the headers tell of. */
  readonly hops: number
}

const WARN_DAYS = 14
/** Of RFC 5737: nobody has it. */
const FORGED = '192.0.2.7'

export const OUTSIDE_CHECKS: readonly Check<OutsideContext>[] = [
  { id: 'tls.chain', when: 'doctor', isNetwork: true, run: eachSite(checkChain) },
  { id: 'base.reached', when: 'doctor', isNetwork: true, run: eachSite(checkBase) },
  { id: 'proxy.trust', when: 'doctor', isNetwork: true, run: eachSite(checkTrust) },
  { id: 'websocket.path', when: 'doctor', isNetwork: true, run: eachSite(checkWebsocket) },
]

function eachSite(
  check: (context: OutsideContext, site: Site) => Promise<readonly Finding[]>,
): Check<OutsideContext>['run'] {
  return async (context) => {
    const findings: Finding[] = []
    for (const site of context.sites) findings.push(...(await check(context, site)))
    return findings
  }
}

async function checkChain(context: OutsideContext, site: Site): Promise<Finding[]> {
  if (!site.isHttps) return [ok(`${site.domain} is reached by http.`)]
  const findings: Finding[] = []
  for (const host of [site.domain, site.appHost]) {
    findings.push(await checkCertificate(context, { host, isHttps: true }))
  }
  return findings
}

async function checkCertificate({ outside, clock }: OutsideContext, base: Base): Promise<Finding> {
  const { host } = base
  try {
    const { problem, endsAt } = await outside.handshake(base)
    if (problem !== undefined) {
      return fault(
        `Browsers refuse the certificate of ${host}: ${problem}.`,
        'Use a certificate for the domain and its wildcard, with the whole chain in its file.',
      )
    }
    const days = Math.floor((endsAt - clock.now()) / DAY_MS)
    if (days >= WARN_DAYS) return ok(`The certificate of ${host} is good for ${days} days.`)
    return warning(
      `The certificate of ${host} ends in ${days} days.`,
      'See to it that it is renewed by itself, and that the server can read the new file.',
    )
  } catch (error) {
    return fault(
      `There is no TLS at ${host}: ${(error as Error).message}.`,
      'Open its port, and have the proxy or this server speak TLS there.',
    )
  }
}

async function checkBase(context: OutsideContext, site: Site): Promise<Finding[]> {
  if (context.makeNonce === undefined) return []
  const findings: Finding[] = []
  for (const host of [site.domain, site.appHost]) {
    findings.push(await checkReached(context, { host, isHttps: site.isHttps }, site))
  }
  return findings
}

async function checkReached(context: OutsideContext, base: Base, site: Site): Promise<Finding> {
  const url = urlOf(base)
  const probed = await probe(context, base)
  if (typeof probed === 'string')
    return fault(`${url} does not lead to this server: ${probed}.`, LEAD)
  if (probed.answer.instance === site.domain) return ok(`${url} leads to this server.`)
  return fault(
    `${url} leads to this server, but under another name (${probed.answer.instance ?? 'nobody knows it'}).`,
    'Have the proxy pass the Host on as it came: in nginx "proxy_set_header Host $http_host;".',
  )
}

const LEAD =
  'Point the name and the proxy to the public listener of this server (SVC_HOST, SVC_PORT).'

async function checkTrust(context: OutsideContext, site: Site): Promise<Finding[]> {
  if (context.makeNonce === undefined) return []
  const { config } = context
  const base = { host: site.domain, isHttps: site.isHttps }
  const plain = await probe(context, base)
  const forged = await probe(context, base, { 'X-Forwarded-For': FORGED })
  // What does not get here is told by the check before.
  if (typeof plain === 'string' || typeof forged === 'string') return []
  if (forged.answer.client_address === FORGED) {
    return [
      fault(
        'SVC_TRUST_PROXY is too high: an address that a visitor made up is believed.',
        'Set it to the number of proxies, and have the outermost one set "X-Forwarded-For $remote_addr".',
      ),
    ]
  }
  const isBehindUnknown = site.isHttps && !hasTls(config)
  const isProxyHere = isLoopback(plain.answer.client_address) && !isLoopback(plain.localAddress)
  if (plain.answer.hops > config.trustProxy || isBehindUnknown || isProxyHere) {
    return [
      fault(
        `SVC_TRUST_PROXY is too low: every visitor shares one limit, that of ${plain.answer.client_address}.`,
        'Set it to the number of proxies in front, and have the outermost one set "X-Forwarded-For $remote_addr".',
      ),
    ]
  }
  if (site.isHttps && plain.answer.scheme !== 'https') {
    return [
      fault(
        'The proxy does not say that visitors come by https: X-Forwarded-Proto is missing.',
        'Add it: in nginx "proxy_set_header X-Forwarded-Proto $scheme;".',
      ),
    ]
  }
  return [ok(`Visitors of ${site.domain} are seen with their own addresses.`)]
}

interface Probed {
  readonly answer: ProbeAnswer
  readonly localAddress: string
}

/** @returns words about what is wrong when nothing comes back */
async function probe(
  { outside, makeNonce }: OutsideContext,
  base: Base,
  headers: Readonly<Record<string, string>> = {},
): Promise<Probed | string> {
  const nonce = (await makeNonce?.()) ?? ''
  try {
    const { status, body, localAddress } = await outside.get(
      base,
      `/health/probe?nonce=${nonce}`,
      headers,
    )
    if (status !== 200) return `the answer is ${status}, so another server is there`
    const answer = JSON.parse(body) as ProbeAnswer // Only this server knows the nonce.
    if (!Number.isInteger(answer.hops)) return 'another server answers'
    return { answer, localAddress }
  } catch (error) {
    return error instanceof SyntaxError ? 'another server answers' : (error as Error).message
  }
}

async function checkWebsocket({ outside }: OutsideContext, site: Site): Promise<Finding[]> {
  const base = { host: site.domain, isHttps: site.isHttps }
  const url = `${urlOf(base)}/realtime/`
  const remedy =
    'Have the proxy pass upgrades on: in nginx "proxy_http_version 1.1;", ' +
    '"proxy_set_header Upgrade $http_upgrade;" and "proxy_set_header Connection $connection_upgrade;".'
  try {
    const status = await outside.upgrade(base, '/realtime/')
    if (status === 101) return [ok(`Websockets get through at ${url}.`)]
    return [fault(`Websockets do not get through at ${url}: the answer is ${status}.`, remedy)]
  } catch (error) {
    return [fault(`Websockets do not get through at ${url}: ${(error as Error).message}.`, remedy)]
  }
}

function urlOf({ host, isHttps }: Base): string {
  return `${isHttps ? 'https' : 'http'}://${host}`
}
