import { Agent } from 'node:http'
import { SAMPLES } from '../../packages/auth-ui/test/support/sample-models.ts'
import { sampleServer } from '../../packages/auth-ui/test/support/sample-server.ts'
import {
  CALLBACK_URL,
  startConnectors,
} from '../../packages/connectors/test/support/connectors-server.ts'
import { sqliteStore } from '../../packages/store/src/sqlite/index.ts'
import { requestLoopback } from '../../packages/testkit/src/loopback-request.ts'
import { normalHeaders, normalPage, replaceVersions } from './normal.ts'
import type { Part } from './part.ts'

const LOCALES = ['en', 'fr', 'de', 'es'] as const
/** Where a page is that has nothing of an instance. */
const PLAIN: Readonly<Record<string, string>> = {
  'unknown-host': 'https://nowhere.example.org/',
  callback: `${CALLBACK_URL}/accounts/bank/redirect`,
}

/** Every page in four languages: those of owners by the name of its sample, and plain ones. */
export async function pages(): Promise<Part[]> {
  const server = await sampleServer()
  const names = Object.keys(SAMPLES)
  const ask = (name: string, locale: string): Promise<Part> =>
    pageAt(
      `page ${name} ${locale}`,
      server.port,
      `${server.origin}/${name}?locale=${locale}`,
      locale,
    )
  try {
    return [...(await inAllLanguages(names, ask)), ...(await plainPages())]
  } finally {
    await server.close()
  }
}

async function plainPages(): Promise<Part[]> {
  const store = sqliteStore({ file: ':memory:' })
  const server = await startConnectors({ store, connectors: { callbackUrl: CALLBACK_URL } })
  const ask = (name: string, locale: string): Promise<Part> =>
    pageAt(`plain page ${name} ${locale}`, server.port, PLAIN[name] ?? '', locale)
  try {
    return await inAllLanguages(Object.keys(PLAIN), ask)
  } finally {
    await server.close()
    await store.close()
  }
}

async function inAllLanguages(
  names: readonly string[],
  ask: (name: string, locale: string) => Promise<Part>,
): Promise<Part[]> {
  const parts: Part[] = []
  for (const name of names) {
    for (const locale of LOCALES) parts.push(await ask(name, locale))
  }
  return parts
}

async function pageAt(title: string, port: number, url: string, locale: string): Promise<Part> {
  const { status, rawHeaders, body } = await requestLoopback({ port }, new Agent(), {
    method: 'GET',
    url: new URL(url),
    headers: { accept: 'text/html', 'accept-language': locale },
  })
  const head = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : [],
  )
  const lines = [String(status), ...normalHeaders(['', ...head].join('\r\n'))]
  return { title, text: [...lines, normalPage(body.toString('utf8'), replaceVersions)].join('\n') }
}
