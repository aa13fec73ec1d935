import { randomUUID } from 'node:crypto'
import type { LoopbackFetch } from './loopback-fetch.ts'
import { useBuilt } from './use-built.ts'

useBuilt('eventsource', 'eventsource-parser')

/** A published SDK's client that was given nothing but an address. */
export interface AssistantClient {
  readonly memory: AssistantMemory
  /** Connects with what it knows; rejects after it asked for the owner, whose page is then {@link AssistantMemory.asked}. */
  connect(): Promise<void>
  /** Takes the answer that came back to its redirect URI. */
  finish(visit: string): Promise<void>
  tools(): Promise<readonly string[]>
  /** What a tool answered, as JSON. Rejects where the protocol refuses. */
  call(name: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>
  /** Makes its access token no good; {@link AssistantClient.refreshToken} is to be another one after the next call. */
  spoil(): Promise<void>
  refreshToken(): Promise<string | undefined>
  close(): Promise<void>
}

type Information = { client_id: string; [member: string]: unknown }
type Tokens = {
  access_token: string
  token_type: string
  refresh_token?: string
  [member: string]: unknown
}

/** What an assistant keeps between two connections. */
export class AssistantMemory {
  /** The page where the owner is to be sent. */
  asked: URL | undefined
  information: Information | undefined
  tokens: Tokens | undefined
  verifier = ''
  /** How often the owner was asked. */
  timesAsked = 0
  discovered: object | undefined
  readonly name: string
  readonly redirectUri: string
  /** What it registers in another way than the kits' examples do; undefined: it leaves the member out. */
  readonly registers: Readonly<Record<string, unknown>>

  /** @param clientId - address of its description; absent: it registers */
  constructor(
    name: string,
    redirectUri: string,
    clientId?: string,
    registers: Readonly<Record<string, unknown>> = {},
  ) {
    this.name = name
    this.redirectUri = redirectUri
    this.registers = registers
    this.information = clientId === undefined ? undefined : { client_id: clientId }
  }
}

/** What the two SDKs have in common. */
interface Sdk {
  connect(): Promise<void>
  finishAuth(parameters: URLSearchParams): Promise<void>
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>
  close(): Promise<void>
}

type Provider = ReturnType<typeof providerOf>

const NAME = { name: 'recording-assistant', version: '1.0.0' }

/** What both SDKs export. Their own types need libraries that tests of pages do not have beside those of a browser. */
interface ClientLibrary {
  readonly Client: new (
    name: typeof NAME,
    options?: object,
  ) => {
    connect(transport: SdkTransport): Promise<void>
  } & Pick<Sdk, 'callTool' | 'close' | 'listTools'>
}

interface TransportLibrary {
  readonly StreamableHTTPClientTransport: new (
    url: URL,
    options: { readonly authProvider: Provider; readonly fetch: LoopbackFetch },
  ) => SdkTransport
}

interface SdkTransport {
  /** The older one takes the code alone. */
  finishAuth(answer: URLSearchParams | string): Promise<void>
}

const load = <Library>(name: string): Promise<Library> => import(name) as Promise<Library>

/** Version 2.4, revision 2026-07-28 of the protocol. */
export function newSdk(url: URL, memory: AssistantMemory, fetch: LoopbackFetch): AssistantClient {
  return clientOf(memory, async () => {
    const { Client, StreamableHTTPClientTransport } = await load<ClientLibrary & TransportLibrary>(
      '@modelcontextprotocol/client',
    )
    const client = new Client(NAME, { versionNegotiation: { mode: 'auto' } })
    const transport = new StreamableHTTPClientTransport(url, {
      authProvider: providerOf(memory),
      fetch,
    })
    return {
      connect: () => client.connect(transport),
      finishAuth: (parameters) => transport.finishAuth(parameters),
      listTools: () => client.listTools(),
      callTool: (call) => client.callTool(call),
      close: () => client.close(),
    }
  })
}

/** Version 1.32, revision 2025-11-25 of the protocol. */
export function oldSdk(url: URL, memory: AssistantMemory, fetch: LoopbackFetch): AssistantClient {
  return clientOf(memory, async () => {
    const { Client } = await load<ClientLibrary>('@modelcontextprotocol/sdk/client/index.js')
    const { StreamableHTTPClientTransport } = await load<TransportLibrary>(
      '@modelcontextprotocol/sdk/client/streamableHttp.js',
    )
    const client = new Client(NAME)
    const transport = new StreamableHTTPClientTransport(url, {
      authProvider: providerOf(memory),
      fetch,
    })
    return {
      connect: () => client.connect(transport),
      finishAuth: (parameters) => transport.finishAuth(parameters.get('code') ?? ''),
      listTools: () => client.listTools(),
      callTool: (call) => client.callTool(call),
      close: () => client.close(),
    }
  })
}

function clientOf(memory: AssistantMemory, open: () => Promise<Sdk>): AssistantClient {
  let opened: Sdk | undefined
  const sdkOf = (): Sdk => {
    if (opened === undefined) throw new Error('it is not connected')
    return opened
  }
  return {
    memory,
    async connect() {
      opened = await open()
      await opened.connect()
    },
    finish: (visit) => sdkOf().finishAuth(new URL(visit).searchParams),
    tools: async () => (await sdkOf().listTools()).tools.map(({ name }) => name),
    async call(name, args = {}) {
      const answer = (await sdkOf().callTool({ name, arguments: args })) as {
        readonly structuredContent?: Record<string, unknown>
        readonly content: readonly { readonly text?: string }[]
      }
      return answer.structuredContent ?? JSON.parse(answer.content[0]?.text ?? '{}')
    },
    async spoil() {
      memory.tokens = { token_type: 'Bearer', ...memory.tokens, access_token: 'gone' }
    },
    refreshToken: async () => memory.tokens?.refresh_token,
    close: async () => opened?.close(),
  }
}

/** As the SDKs ask for it. */
function providerOf(memory: AssistantMemory) {
  return {
    redirectUrl: memory.redirectUri,
    clientMetadata: {
      client_name: memory.name,
      redirect_uris: [memory.redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...memory.registers,
    },
    state: () => randomUUID(),
    clientInformation: () => memory.information,
    saveClientInformation: (information: Information) => {
      memory.information = information
    },
    tokens: () => memory.tokens,
    saveTokens: (tokens: Tokens) => {
      memory.tokens = tokens
    },
    redirectToAuthorization: (url: URL) => {
      memory.asked = url
      memory.timesAsked += 1
    },
    saveCodeVerifier: (verifier: string) => {
      memory.verifier = verifier
    },
    codeVerifier: () => memory.verifier,
    discoveryState: () => memory.discovered,
    saveDiscoveryState: (state: object) => {
      memory.discovered = state
    },
    // What the server takes no longer is forgotten; the next try asks the owner.
    invalidateCredentials: (what: string) => {
      if (what === 'tokens' || what === 'all') memory.tokens = undefined
    },
  }
}
