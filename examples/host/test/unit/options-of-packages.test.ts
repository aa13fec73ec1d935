import { createActivity } from '@svc/activity'
import { createAuthUi } from '@svc/auth-ui'
import {
  accountTypesFromFile,
  createAccountTypes,
  createConnectors,
  createEntryReader,
} from '@svc/connectors'
import { createMcp } from '@svc/mcp'
import { createNotify, createSystemMails, smtpTransport } from '@svc/notify'
import { createOAuth, sealingKeys } from '@svc/oauth-core'
import { createOutbound } from '@svc/platform'
import { createRealtime } from '@svc/realtime'
import { redisStore } from '@svc/store/redis'
import { sqliteStore } from '@svc/store/sqlite'
import { fitsSchema } from '@svc/store/options'
import { Ajv } from 'ajv'
import { expect } from 'chai'
import { DEFINED_FUNCTIONS } from '../../../../docs/build/option-definitions.ts'
import { everyOption, misspeltOptions } from '../support/misspelt-options.ts'

const store = sqliteStore({ file: ':memory:' })
const apps = {
  installed: async () => undefined,
  listInstalled: async () => [],
  available: async () => undefined,
}
const key = { kid: 'test', key: Buffer.alloc(32) }
const oauth = createOAuth({ store, apps, keys: [key] })
const mail = { transport: { send: async () => {} } }
const sessions = { current: async () => undefined, admit: async () => false }
const owners = {
  requireSettingsApp: async () => {},
  isConfirmed: async () => false,
  rightsInWords: async () => [],
  kindInWords: (_: unknown, type: string) => type,
}
const { clock, log, sealer } = oauth

/** What each function is to be told at least, and the function as a program without types calls it. */
const CALLS: Readonly<Record<string, readonly [right: object, call: (options: never) => unknown]>> =
  {
    accountTypesFromFile: [{ file: 'types.json', clock, log }, accountTypesFromFile],
    createAccountTypes: [{ store, sealer, log }, createAccountTypes],
    createActivity: [{ platform: oauth, owners }, createActivity],
    createAuthUi: [{ oauth, mailer: mail.transport }, createAuthUi],
    createConnectors: [{ oauth, sessions }, createConnectors],
    createEntryReader: [{ log }, createEntryReader],
    createMcp: [{ oauth }, createMcp],
    createNotify: [{ oauth, channels: { mail } }, createNotify],
    createOAuth: [{ store, apps, keys: [key] }, createOAuth],
    createOutbound: [{}, createOutbound],
    createRealtime: [{ oauth }, createRealtime],
    createSystemMails: [{ log, mail }, createSystemMails],
    redisStore: [{ host: '127.0.0.1' }, redisStore],
    sealingKeys: [{ file: 'data/keys' }, sealingKeys],
    smtpTransport: [{}, smtpTransport],
    sqliteStore: [{ file: ':memory:' }, sqliteStore],
  }

const UNITS: Readonly<Record<string, string>> = {
  Bytes: 'bytes',
  Days: 'days',
  Kib: 'KiB',
  Ms: 'milliseconds',
}

describe('options of all packages', () => {
  after(async () => {
    await oauth.close()
    await store.close()
  })

  for (const { name, module, definition } of DEFINED_FUNCTIONS) {
    const [right = {}, call = () => undefined] = CALLS[name] ?? []

    it(`are taken by ${name} of ${module} when they are right`, () => {
      expect(CALLS).to.have.property(name)
      expect(() => definition.settle(right)).not.to.throw()
    })

    it(`are refused by ${name} of ${module} when one letter of any name is wrong`, () => {
      const cases = misspeltOptions(definition.members, right)
      expect(cases.length).to.be.at.least(Object.keys(definition.members).length)
      for (const { options, path, meant } of cases) {
        // Wrong on purpose.
        expect(() => call(options as never), path).to.throw(
          TypeError,
          `${path}: unknown, did you mean ${meant}?`,
        )
      }
    })

    it(`have schemas and defaults that fit each other: ${name} of ${module}`, () => {
      const ajv = new Ajv({ strict: true })
      for (const { path, option } of everyOption(definition.members)) {
        const { shape, fallback } = option
        if (shape.kind !== 'value') continue
        // What a name says of its unit, the definition says, too.
        const [, named = ''] = /(Ms|Bytes|Kib|Days)$/.exec(path) ?? []
        expect(shape.unit, path).to.equal(UNITS[named] ?? shape.unit)
        const check = ajv.compile(shape.schema)
        if (fallback.kind !== 'value' || fallback.value === undefined) continue
        expect(fitsSchema(shape.schema, fallback.value), path).to.equal(true)
        expect(check(fallback.value), path).to.equal(true)
        expect(shape.isRight?.(String(fallback.value)) ?? true, path).to.equal(true)
      }
    })

    it(`are refused by ${name} of ${module} as a TypeError when there are none`, () => {
      for (const none of [null, 1, 'x', []]) {
        // Callers without types exist.
        expect(() => call(none as never), String(none)).to.throw(
          TypeError,
          /^options: must be an object$/,
        )
      }
      for (const none of [{}, undefined]) {
        const needed = Object.values(definition.members).some(
          ({ fallback }) => fallback.kind === 'needed',
        )
        if (needed) expect(() => call(none as never)).to.throw(TypeError, /^options\./)
      }
    })
  }
})
