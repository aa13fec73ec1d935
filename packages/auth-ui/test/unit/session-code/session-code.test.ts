import { type AccessContext, type Client, VERBS } from '@svc/oauth-core'
import { NO_ACTIVITY, type RouteContext } from '@svc/platform'
import { expect } from 'chai'
import { DEFAULT_LIFETIMES } from '../../../src/lifetimes.ts'
import type { AuthUiServices } from '../../../src/services.ts'
import { createSessionCode } from '../../../src/session-code/session-code.ts'
import { sampleInstance } from '../../support/sample-instance.ts'

/** No client has scope `*` before certification: who calls is made up here, the rest of the endpoint is real. */
describe('createSessionCode, with a bearer', () => {
  const MAXIMAL = [{ type: '*', verbs: VERBS }]
  const client = (flagship: boolean): Client => ({ flagship }) as Client // The endpoint reads no more.

  async function ask(
    access: Pick<AccessContext, 'kind' | 'client' | 'permissions'>,
    passphrase?: string,
  ): Promise<{ status: number; body: unknown } | { code: unknown }> {
    const services = {
      // Owners of this test are onboarded without a second factor, and nothing else of them is read.
      owners: { get: async () => ({ owner: { onboardedAt: 1 } }) },
      limits: { hit: async () => {} },
      // Nothing reads the code back.
      store: { write: async () => ({ written: true }) },
      clock: { now: () => 0 },
      lifetimes: DEFAULT_LIFETIMES,
      sessionMiddleware: {
        current: async () => Promise.reject(new Error('a passphrase was checked')),
      },
      oauth: {
        authenticate: async (ctx: RouteContext) => {
          ctx.state.access = access as AccessContext
        },
        clients: { isCertified: ({ flagship }: Client) => flagship },
        activity: NO_ACTIVITY,
        clientAddress: () => '203.0.113.7',
      },
    } as unknown as AuthUiServices
    const ctx = {
      state: { instance: sampleInstance(), json: passphrase === undefined ? {} : { passphrase } },
      get: (name: string) => (name === 'Authorization' ? 'Bearer token' : ''),
      status: 404,
      body: undefined as unknown,
    }
    try {
      await createSessionCode(ctx as unknown as RouteContext, services)
    } catch (error) {
      return { code: (error as { code?: unknown }).code ?? String(error) }
    }
    return { status: ctx.status, body: ctx.body }
  }

  it('makes a code for a certified app whose token allows everything, without a second step', async () => {
    const access = { kind: 'access', client: client(true), permissions: MAXIMAL } as const
    const answer = await ask(access)
    expect(answer).to.have.property('status', 201)
    expect(answer)
      .to.have.property('body')
      .that.matches(/^\{"session_code":"\w{32}"\}$/)
  })

  const refused: readonly [what: string, Pick<AccessContext, 'kind' | 'client' | 'permissions'>][] =
    [
      [
        'a client that is not certified',
        { kind: 'access', client: client(false), permissions: MAXIMAL },
      ],
      [
        'a certified app with a smaller token',
        {
          kind: 'access',
          client: client(true),
          permissions: [{ type: 'io.svc.*', verbs: ['GET'] }],
        },
      ],
      [
        'a certified app with an empty token',
        { kind: 'access', client: client(true), permissions: [] },
      ],
      [
        'a token that may read everything',
        { kind: 'access', client: client(true), permissions: [{ type: '*', verbs: ['GET'] }] },
      ],
      ['an app of the instance', { kind: 'app', client: client(true), permissions: MAXIMAL }],
      ['nobody in particular', { kind: 'access', permissions: MAXIMAL }],
    ]
  for (const [what, access] of refused) {
    it(`refuses ${what}`, async () => {
      expect(await ask(access)).to.deep.equal({ code: 'not_authorized' })
    })
  }

  it('does not look at it beside a passphrase', async () => {
    const access = { kind: 'access', client: client(true), permissions: MAXIMAL } as const
    expect(await ask(access, '')).to.deep.equal({ code: 'Error: a passphrase was checked' })
  })
})
