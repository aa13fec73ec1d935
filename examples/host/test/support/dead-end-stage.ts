import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type FakeClock, fakeClock, launchChromium, needsChromium } from '@svc/testkit'
import { after, before } from 'mocha'
import { openRequest } from './client-request.ts'
import { createVisit, type DeadEndVisit } from './dead-end-visit.ts'
import { type Front, openFront } from './front.ts'
import { type HostProcess, spawnHost } from './host-process.ts'
import { startTestHost } from './test-host.ts'
import { type AdminAccess, createTourOwner } from './tour-owner.ts'
import { type TourTexts, tourTexts } from './tour-texts.ts'

/** A host, a browser, and nothing that waits for real time to pass. */
export interface DeadEndStage {
  readonly texts: TourTexts
  /** The clock of a host in this process. */
  readonly clock: FakeClock
  readonly front: Front
  readonly admin: AdminAccess
  /** A new instance, a new browser without cookies, and a new client, which has sent the browser to the instance. */
  visit(options?: VisitOptions): Promise<DeadEndVisit>
  /** Kills a host in a process of its own, and starts it again on the same store. @param meanwhile - before the start */
  restart(meanwhile?: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

/** What an instance has. */
export interface VisitOptions {
  readonly hasSecondStep?: true
  readonly hasMagicLink?: true
  /** Nobody has chosen a passphrase; the browser is nowhere. */
  readonly isOnboarded?: false
}

/** How the host is run. */
export interface StageOptions {
  readonly subdomains?: 'nested' | 'flat'
  readonly env?: Readonly<Record<string, string>>
  /** It can be killed. @defaultValue it runs in this process */
  readonly isProcess?: true
}

interface Host {
  readonly port: number
  readonly adminPort: number
  restart(meanwhile?: () => Promise<void>): Promise<void>
  stop(): Promise<unknown>
}

const ADMIN_TOKEN = 'dead-ends-admin-token-0123456789abcdef'

/** A stage for the suite that is being defined. */
export function suiteDeadEnds(options: StageOptions = {}): DeadEndStage {
  let stage: DeadEndStage | undefined
  before(async function () {
    stage = await openDeadEnds(this, options)
  })
  after(() => stage?.close())
  // The members of the stage once the suite has begun.
  return new Proxy({} as DeadEndStage, {
    get: (_, name: keyof DeadEndStage) => stage?.[name],
  })
}

/** Skips the suite where the machine has no Chromium. */
export async function openDeadEnds(
  suite: Mocha.Context,
  { subdomains = 'nested', env = {}, isProcess }: StageOptions = {},
): Promise<DeadEndStage> {
  needsChromium(suite)
  const opened: (() => Promise<unknown>)[] = []
  const close = async (): Promise<void> => {
    for (const each of opened.splice(0).reverse()) await each()
  }
  try {
    const clock = fakeClock()
    const settings = { SVC_ADMIN_TOKEN: ADMIN_TOKEN, SVC_SUBDOMAINS: subdomains, ...env }
    const host = isProcess === true ? await runProcess(settings) : await runHere(settings, clock)
    opened.push(() => host.stop())
    const front = await openFront(host.port)
    opened.push(() => front.close())
    const browser = await launchChromium({ port: front.port, domains: ['localhost'] })
    opened.push(() => browser.close())
    const texts = tourTexts('en')
    const run = { name: 'dead ends', store: 'sqlite', subdomains, locale: 'en' } as const
    let visits = 0
    // The port of a process changes when it is started again.
    const admin: AdminAccess = {
      token: ADMIN_TOKEN,
      get port() {
        return host.adminPort
      },
    }
    return {
      texts,
      clock,
      front,
      admin,
      async visit({ hasSecondStep, hasMagicLink, isOnboarded } = {}) {
        visits += 1
        const owner = await createTourOwner(admin, run, `owner${visits}`, {
          ...(hasMagicLink === true && { magicLink: true }),
          ...(isOnboarded === false && { isOnboarded }),
        })
        const request = await openRequest(owner.origin, front.port)
        const context = await browser.newContext({ locale: 'en' })
        const visit = await createVisit({ admin, owner, context, request, texts })
        if (hasSecondStep === true) await visit.admin('PATCH', '', { auth_mode: 'two_factor_mail' })
        if (isOnboarded !== false) await visit.tab.page.goto(request.url)
        return visit
      },
      async restart(meanwhile) {
        await host.restart(meanwhile)
        front.leadTo(host.port)
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function runHere(env: Readonly<Record<string, string>>, clock: FakeClock): Promise<Host> {
  const { host, stop } = await startTestHost(env, 'first.localhost', clock)
  const restart = (): Promise<void> => Promise.reject(new Error('it is no process of its own'))
  return { port: host.port, adminPort: host.adminPort, restart, stop }
}

async function runProcess(env: Readonly<Record<string, string>>): Promise<Host> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'svc-host-'))
  const spawn = (): Promise<HostProcess> => spawnHost({ env: { SVC_DEMO: 'off', ...env }, dataDir })
  let process = await spawn()
  return {
    get port() {
      return process.port
    },
    get adminPort() {
      return process.adminPort
    },
    async restart(meanwhile) {
      await process.stop('SIGKILL')
      await meanwhile?.()
      process = await spawn()
    },
    async stop() {
      await process.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
