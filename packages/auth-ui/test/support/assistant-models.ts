import type { AssistantView, Client, ClientId, Permission } from '@svc/oauth-core'
import type { AssistantPageModel } from '../../src/pages/page-models.ts'
import { formPage } from './step-models.ts'

/** As long as the name of an assistant can be, with a host in it that is none. */
export const LONGEST_NAME: string =
  'Official assistant, checked and safe, from the company that you know and trust, quill.org, for all of us'.slice(
    0,
    100,
  )
const RTL_NAME = 'مساعد الملفات \u202eelpmaxe'
/** What a look-alike of `apple.com` is on the wire. */
export const LOOK_ALIKE = 'xn--pple-43d.com'

const READS: readonly Permission[] = [
  { type: 'io.svc.contacts', verbs: ['GET'] },
  { type: 'io.svc.notes', verbs: ['GET'] },
  { type: 'io.svc.calendar.events', verbs: ['GET'] },
]
const WRITES: readonly Permission[] = [
  { type: 'io.svc.notes', verbs: ['POST'] },
  { type: 'io.svc.notes', verbs: ['PUT'] },
  { type: 'io.svc.notes', verbs: ['DELETE'] },
  { type: 'io.svc.contacts', verbs: ['PATCH'] },
]
const ALLOWED_AT = Date.UTC(2026, 10, 2, 9, 30)

/** The assistants' page in every state worth a look, by a name that goes into a file name. */
export const ASSISTANTS: Readonly<Record<string, AssistantPageModel>> = {
  assistant: assistantPage(),
  'assistant-writes': assistantPage({ permissions: [...READS, ...WRITES] }),
  'assistant-registered': assistantPage({
    client: registered('Helper for the desk'),
    redirectUri: 'http://127.0.0.1:49152/callback',
    signs: { isSelfRegistered: true, isCertified: false, isNew: true, leavesTo: 'program' },
  }),
  'assistant-step-up': assistantPage({
    permissions: [...READS, ...WRITES],
    before: {
      // Adding contacts is not changing them.
      permissions: [...READS, ...WRITES.slice(0, 2), { type: 'io.svc.contacts', verbs: ['POST'] }],
      at: ALLOWED_AT,
      endsAt: ALLOWED_AT + 86_400_000,
    },
    duration: '1h',
  }),
  'assistant-again': assistantPage({
    client: { ...described('Quill'), formerName: 'Old Assistant' },
    before: { permissions: READS, at: ALLOWED_AT },
    duration: '30d',
  }),
  'assistant-walled': assistantPage({
    checkedAt: ALLOWED_AT,
    before: { permissions: READS, at: ALLOWED_AT },
  }),
  'assistant-elsewhere': assistantPage({
    client: described('Apple Intelligence', LOOK_ALIKE),
    host: LOOK_ALIKE,
    redirectUri: 'https://assistant.example.org:8443/oauth/callback?kept=as%20is',
  }),
  'assistant-brand': assistantPage({
    client: described('Assistant of alice.example.com', 'evil.example.net'),
    host: 'evil.example.net',
    redirectUri: 'https://evil.example.net/callback',
  }),
  'assistant-brand-registered': assistantPage({ client: registered('Alice’s own assistant') }),
  'assistant-long': assistantPage({
    client: described(LONGEST_NAME),
    permissions: [...READS, ...WRITES],
  }),
  'assistant-rtl': assistantPage({ client: described(RTL_NAME) }),
  'assistant-unknown': assistantPage({
    permissions: [
      { type: 'com.example.recipes', verbs: ['GET'] },
      { type: 'com.example.recipes', verbs: ['DELETE'] },
      { type: 'io.svc.jobs', verbs: ['GET'] },
    ],
  }),
  'assistant-nothing': assistantPage({
    permissions: [...READS, ...WRITES],
    problem: 'nothing_chosen',
    duration: '1h',
  }),
  'assistant-forty': assistantPage({
    permissions: Array.from(
      { length: 40 },
      (_, at): Permission => ({
        type: `com.example.kind_${at % 20}`,
        verbs: [at < 20 ? 'GET' : 'POST'],
      }),
    ),
  }),
}

export function assistantPage(view: Partial<AssistantView> = {}): AssistantPageModel {
  const redirectUri = view.redirectUri ?? 'https://assistant.quill.test/oauth/callback'
  const isDescribed = view.client?.document !== undefined || view.client === undefined
  return {
    ...formPage(),
    view: {
      client: described('Quill'),
      ...(isDescribed ? { host: 'assistant.quill.test' } : {}),
      resource: { path: '/mcp', name: 'Assistants', scopes: [], isOpen: true },
      permissions: READS,
      permissionChoice: 'open',
      allowedBefore: [],
      durations: ['1h', '1d', '30d'],
      duration: '1d',
      signs: { isSelfRegistered: true, isCertified: false, isNew: true },
      redirectUri,
      cancelUrl: `${redirectUri}?error=access_denied&state=s`,
      fields: {
        client_id: 'https://assistant.quill.test/client.json',
        state: 's',
        redirect_uri: redirectUri,
        response_type: 'code',
      },
      ...view,
    },
  }
}

/** A client that a document describes. */
function described(name: string, host = 'assistant.quill.test'): Client {
  const client = registered(name)
  const at = { fetchedAt: ALLOWED_AT, checkedAt: ALLOWED_AT }
  return {
    ...client,
    metadata: { ...client.metadata, policy_uri: `https://${host}/privacy` },
    document: {
      url: `https://${host}/client.json`,
      digest: 'd',
      ...at,
      authentication: 'none',
      isRefreshing: true,
    },
  }
}

/** A client that registered itself. */
function registered(name: string): Client {
  return {
    // A sample: the brand stands for the form, which this has.
    id: 'b1946ac92492d2347c6235b4d2611184' as ClientId,
    metadata: {
      redirect_uris: ['https://assistant.quill.test/oauth/callback'],
      client_name: name,
      software_id: '',
      token_endpoint_auth_method: 'none',
    },
    pending: true,
    flagship: false,
    certifiedFromStore: false,
    createdAt: ALLOWED_AT,
    updatedAt: ALLOWED_AT,
  }
}
