import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type RedisServer, startRedisServer } from '@svc/store/testing'
import { afterTest, launchChromium, needsChromium } from '@svc/testkit'
import { after, afterEach, before, beforeEach } from 'mocha'
import type { Browser } from 'playwright-core'
import { type HostProcess, spawnHost } from './host-process.ts'
import { startTestHost, type TestHost } from './test-host.ts'

const opened: (() => unknown)[] = []

/** Closes after the test that is running, the last one first: a host before the store that it uses. */
export function closeAfterTest(close: () => unknown): void {
  if (opened.length === 0) {
    afterTest(async () => {
      for (const each of opened.splice(0).reverse()) await each()
    })
  }
  opened.push(close)
}

/** An empty folder for the test that is running. */
export function testFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-test-'))
  closeAfterTest(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** An empty folder for the suite that is being defined. */
export function suiteFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-suite-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Redis for the test that is running. */
export async function testRedis(
  ...options: Parameters<typeof startRedisServer>
): Promise<RedisServer> {
  const redis = await startRedisServer(...options)
  closeAfterTest(() => redis.stop())
  return redis
}

/** A host in this process for the test that is running. */
export async function testHost(...start: Parameters<typeof startTestHost>): Promise<TestHost> {
  const host = await startTestHost(...start)
  closeAfterTest(() => host.stop())
  return host
}

/** A process of the host for the test that is running. */
export async function testProcess(...options: Parameters<typeof spawnHost>): Promise<HostProcess> {
  const host = await spawnHost(...options)
  closeAfterTest(() => host.stop())
  return host
}

/** A host for the suite that is being defined. Its members are there once the suite has begun. */
export function suiteHost(...start: Parameters<typeof startTestHost>): TestHost {
  return hostBetween(before, after, start)
}

/** A new host for each test of the suite that is being defined. */
export function eachTestHost(...start: Parameters<typeof startTestHost>): TestHost {
  return hostBetween(beforeEach, afterEach, start)
}

function hostBetween(
  begin: (start: () => Promise<void>) => void,
  end: (stop: () => Promise<void> | undefined) => void,
  start: Parameters<typeof startTestHost>,
): TestHost {
  let host: TestHost | undefined
  begin(async () => {
    host = await startTestHost(...start)
  })
  end(() => host?.stop())
  // The members of the host that runs.
  return new Proxy({} as TestHost, {
    get: (_, name: keyof TestHost) => host?.[name],
  })
}

/** A browser for the suite that is being defined: names below `localhost` lead to the host. */
export function suiteBrowser(host: TestHost, options: { readonly isWhole?: true } = {}): Browser {
  let browser: Browser | undefined
  before(async function () {
    needsChromium(this)
    browser = await launchChromium({ port: host.host.port, domains: ['localhost'], ...options })
  })
  after(() => browser?.close())
  return new Proxy({} as Browser, {
    get: (_, name: keyof Browser) => {
      const member: unknown = browser?.[name]
      return typeof member === 'function' ? member.bind(browser) : member
    },
  })
}
