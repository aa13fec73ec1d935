import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { testHost } from '../support/for-test.ts'

const OPENAPI = fileURLToPath(new URL('../../../../docs/openapi.json', import.meta.url))
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Every path of the interface that is not an app's own start page, with something in its parameters. */
function interfacePaths(): string[] {
  const { paths } = JSON.parse(readFileSync(OPENAPI, 'utf8')) as { paths: object } // ours
  return Object.keys(paths)
    .filter((path) => path !== '/')
    .map((path) => path.replaceAll(/\{\w+\}/g, 'x'))
}

/** @see decisions D53, D87 */
describe('an app host', () => {
  for (const [subdomains, domain] of [
    ['nested', 'alice.localhost'],
    ['flat', 'alice.svc.localhost'],
  ] as const) {
    it(`answers 404 for every path of the interface and every method, ${subdomains}`, async () => {
      // The document lists what a server has that lets assistants in.
      const host = await testHost({ SVC_ASSISTANTS: 'on', SVC_SUBDOMAINS: subdomains }, domain)
      const browser = await host.browser(undefined, { anonymous: true })
      const paths = interfacePaths()
      expect(paths.length).to.be.above(60)
      for (const path of paths) {
        for (const method of METHODS) {
          const answer = await browser.request(method, `${host.app('home')}${path}`)
          expect(answer.status, `${method} ${path}`).to.equal(404)
        }
      }
    })
  }

  it('answers 404 however a path of the interface is spelled', async () => {
    const host = await testHost()
    const browser = await host.browser(undefined, { anonymous: true })
    for (const target of [
      '/AUTH/login',
      '//auth/login',
      '/%61uth/login',
      '/auth%2Flogin',
      '/./auth/login',
      '/auth/login/',
      '/auth/nothing',
      '/Data/io.svc.notes',
    ]) {
      for (const method of ['GET', 'POST']) {
        const answer = await browser.request(method, `${host.app('home')}/`, { target })
        expect(answer.status, `${method} ${target}`).to.equal(404)
      }
    }
  })
})
