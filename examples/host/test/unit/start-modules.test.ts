import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { describe, it } from 'mocha'

/** Says what the code of a server reads before it does anything. */
const SCRIPT = `
  import { registerHooks } from 'node:module'
  const loaded = []
  registerHooks({
    load(url, context, next) {
      loaded.push(url)
      return next(url, context)
    },
  })
  await import(${JSON.stringify(new URL('../../src/host.ts', import.meta.url).href)})
  loaded.push(...process.moduleLoadList)
  process.stdout.write(JSON.stringify(loaded))
`

describe('what a start loads', () => {
  it('leaves what a server may never use for later', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--conditions=source', '--input-type=module', '--eval', SCRIPT],
      { maxBuffer: 16 * 1024 * 1024 },
    )
    const loaded = JSON.parse(stdout) as readonly string[] // What the script writes.
    const has = (part: string): boolean => loaded.some((name) => name.includes(part))

    expect(has('/packages/oauth-core/src/engine/provider-pool.ts')).to.equal(true)
    expect(has('/node_modules/koa/')).to.equal(true)
    for (const later of [
      '/node_modules/ajv/',
      '/node_modules/oidc-provider/',
      '/node_modules/oauth4webapi/',
      '/node_modules/libphonenumber-js/',
      '/node_modules/jose/',
      '/node_modules/otplib/',
      '/node_modules/temporal-polyfill/',
      '/node_modules/tldts/',
      '/node_modules/koa-body/',
      '/node_modules/koa-session/',
      '/node_modules/age-encryption/',
      '/node_modules/nodemailer/',
      '/node_modules/nunjucks/',
      '/node_modules/intl-messageformat/',
      '/node_modules/bowser/',
      '/node_modules/web-push/',
      '/node_modules/@simplewebauthn/server/',
      'NativeModule internal/deps/undici/undici',
      'NativeModule http2',
    ]) {
      expect(has(later), later).to.equal(false)
    }
  })
})
