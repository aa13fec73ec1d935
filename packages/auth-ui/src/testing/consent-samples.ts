import type { Client, ConsentView, Permission } from '@svc/oauth-core'

const REDIRECT = 'https://client.example/callback?kept=%20as+is'
/** Characters that a form has to carry byte for byte. */
export const HARD_STATE = `a b+c&d=e%20"'<>\u00e9`
export const MARKUP = `<img src=x onerror=alert(1)>"'`
/** Lets one name look like another. */
export const TURNED = 'Invoice\u202efdp.exe'

const FIELDS = {
  client_id: 'a1b2c3',
  state: 'the-state',
  redirect_uri: REDIRECT,
  scope: 'io.svc.files:GET',
  response_type: 'code',
  consent: 'sealed-by-the-server',
}

/** What a client asks for, with what a case changes. */
export function sampleView(
  changes: Partial<ConsentView> = {},
  name = 'Notes',
  fields: Readonly<Record<string, string>> = {},
): ConsentView {
  return {
    client: clientCalled(name),
    permissions: [{ type: 'io.svc.files', verbs: ['GET'] }],
    permissionChoice: 'open',
    allowedBefore: [],
    durations: ['1h', '1d', '30d', 'until_revoked'],
    signs: { isSelfRegistered: true, isCertified: false, isNew: true },
    redirectUri: REDIRECT,
    cancelUrl: `${REDIRECT}&error=access_denied&state=the-state`,
    fields: { ...FIELDS, ...fields },
    formActionSource: 'https://client.example',
    ...changes,
  }
}

/** As many rules as a client may well ask for. */
export const FORTY: readonly Permission[] = Array.from({ length: 40 }, (_, at) => ({
  type: `com.example.kind${at}`,
  verbs: at % 2 === 0 ? ['GET'] : ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
}))

function clientCalled(name: string): Client {
  return {
    id: FIELDS.client_id as Client['id'],
    metadata: {
      redirect_uris: [REDIRECT],
      client_name: name,
      software_id: 'notes',
      client_uri: 'https://client.example/',
      policy_uri: 'https://client.example/policy',
    },
    pending: true,
    flagship: false,
    certifiedFromStore: false,
    createdAt: 0,
    updatedAt: 0,
  }
}
