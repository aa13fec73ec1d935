import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { appFolders, KIT_PATH } from '@svc/auth-ui'
import type { BrowserClient } from '@svc/testkit'
import { expect } from 'chai'
import { suiteFolder, suiteHost } from '../support/for-test.ts'

const ROUTES = { '/': { folder: '/public', index: 'index.html', public: true } }

for (const [subdomains, domain] of [
  ['nested', 'alice.example.com'],
  ['flat', 'alice.example.com'],
] as const) {
  describe(`app hosts, ${subdomains}`, () => {
    const host = suiteHost({ SVC_SUBDOMAINS: subdomains }, domain)
    let browser: BrowserClient

    before(async () => {
      browser = await host.browser()
    })

    /** A browser with a session on the app's host too. */
    async function visit(target: string): ReturnType<BrowserClient['get']> {
      let answer = await browser.get(`${host.app('home')}${target}`)
      for (let hop = 0; answer.status === 302 && hop < 4; hop++)
        answer = await browser.follow(answer)
      return answer
    }

    it('gives a private page to a session, with a fresh token each time', async () => {
      const first = await visit('/')
      const again = await visit('/')
      expect(first.status).to.equal(200)
      expect(first.contentType).to.equal('text/html')
      expect(first.headers['cache-control']).to.equal('no-store')
      const page = first.page()
      expect(page.attribute('data-svc-domain')).to.equal(domain)
      expect(page.attribute('data-svc-origin')).to.equal(`https://${domain}`)
      expect(page.attribute('data-svc-slug')).to.equal('home')
      expect(page.attribute('data-svc-locale')).to.equal('en')
      const token = page.attribute('data-svc-token') ?? ''
      expect(token.split('.')).to.have.lengthOf(3)
      expect(again.page().attribute('data-svc-token')).to.be.a('string')
      const answer = await browser.request('GET', `https://${domain}/data/io.svc.notes`, {
        from: host.app('home'),
        headers: { authorization: `Bearer ${token}` },
      })
      expect(answer.status).to.equal(200)
    })

    it('sends its security headers, and never one that opens it to other origins', async () => {
      const page = await visit('/')
      const policy = String(page.headers['content-security-policy'])
      expect(policy).to.include("default-src 'none'")
      expect(policy).to.include(`connect-src 'self' https://${domain}`)
      expect(policy).to.include(`form-action 'self' https://${domain}`)
      expect(policy).to.include("frame-ancestors 'none'")
      expect(policy).to.include("object-src 'none'")
      expect(policy).to.not.include('unsafe')
      expect(page.headers['strict-transport-security']).to.include('max-age=31536000')
      expect(page.headers['x-content-type-options']).to.equal('nosniff')
      expect(page.headers['x-frame-options']).to.equal('DENY')
      for (const origin of [host.app('settings'), 'https://evil.example', 'null']) {
        for (const method of ['GET', 'OPTIONS']) {
          const answer = await browser.request(method, `${host.app('home')}/main.js`, {
            headers: { origin, 'access-control-request-method': 'GET' },
          })
          const open = Object.keys(answer.headers).filter((name) =>
            name.startsWith('access-control'),
          )
          expect(open, `${method} from ${origin}`).to.deep.equal([])
        }
      }
    })

    it('sends a stranger to the login, and back to the very page', async () => {
      const stranger = await host.browser(undefined, { anonymous: true })
      const target = `${host.app('home')}/?view=notes&session_code=${'a'.repeat(32)}`
      const answer = await stranger.get(target)
      expect(answer.status).to.equal(302)
      const location = new URL(answer.location ?? '')
      expect(location.origin + location.pathname).to.equal(`https://${domain}/auth/login`)
      expect(location.searchParams.get('redirect')).to.equal(`${host.app('home')}/?view=notes`)
    })

    it('answers 401 to a stranger asking for a private file, there or not', async () => {
      const stranger = await host.browser(undefined, { anonymous: true })
      for (const file of ['/main.js', '/absent.js', '/manifest.json']) {
        const answer = await stranger.get(`${host.app('home')}${file}`)
        expect(answer.status, file).to.equal(401)
        expect(answer.headers['cache-control'], file).to.equal('no-store')
      }
    })

    it('serves files with their type, and 304 when they are the same', async () => {
      await visit('/')
      const file = await browser.get(`${host.app('home')}/main.js`)
      expect(file.status).to.equal(200)
      expect(file.headers['content-type']).to.equal('text/javascript; charset=utf-8')
      expect(file.headers['cache-control']).to.equal('private, no-cache')
      const head = await browser.request('HEAD', `${host.app('home')}/main.js`)
      expect(head.status).to.equal(200)
      expect(head.headers['content-length']).to.equal(String(file.body.length))
      const same = await browser.get(`${host.app('home')}/main.js`, {
        headers: { 'if-none-match': String(file.headers['etag']) },
      })
      expect(same.status).to.equal(304)
      expect(same.text).to.equal('')
    })

    it('sends files in fewer bytes to a browser that takes gzip, but never a page', async () => {
      await visit('/')
      const headers = { 'accept-encoding': 'gzip, deflate, br' }
      const plain = await browser.get(`${host.app('home')}/main.js`)
      const zipped = await browser.get(`${host.app('home')}/main.js`, { headers })
      expect(zipped.headers['content-encoding']).to.equal('gzip')
      expect(zipped.headers['vary']).to.include('Accept-Encoding')
      expect(zipped.headers['etag']).to.not.equal(plain.headers['etag'])
      expect(gunzipSync(zipped.body).equals(plain.body)).to.equal(true)
      const same = await browser.get(`${host.app('home')}/main.js`, {
        headers: { ...headers, 'if-none-match': String(zipped.headers['etag']) },
      })
      expect(same.status).to.equal(304)
      const page = await browser.get(`${host.app('home')}/`, { headers })
      expect(page.headers).to.not.include.keys('content-encoding')
    })

    const absent = [
      '/../../package.json',
      '/%2e%2e/%2e%2e/package.json',
      '/..%2f..%2fpackage.json',
      '/..%5c..%5cpackage.json',
      '/%252e%252e/package.json',
      '//etc/passwd',
      '/.git/config',
      '/locales/.hidden',
      '/main.js%00.html',
      '/main.js/',
      '/locales',
      '/tsconfig',
    ]
    for (const target of absent) {
      it(`answers 404 to GET ${target}`, async () => {
        await visit('/')
        const answer = await browser.get(`${host.app('home')}/`, { target })
        expect(answer.status).to.equal(404)
      })
    }

    it('answers 404 with a page that needs no file of this host and leads to the instance', async () => {
      const answer = await browser.get(`${host.app('home')}/absent`, {
        headers: { accept: 'text/html' },
      })
      expect(answer.status).to.equal(404)
      expect(answer.text)
        .to.include('<style>')
        .and.to.not.match(/<link|<script|<img/)
      expect(answer.text).to.include(`href="https://${domain}/"`)
    })

    it('answers 400 to a path that is no UTF-8, or 404', async () => {
      const answer = await browser.get(`${host.app('home')}/`, { target: '/%ff%fe' })
      expect(answer.status).to.be.oneOf([400, 404])
    })

    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      it(`answers 405 to ${method}`, async () => {
        const answer = await browser.request(method, `${host.app('home')}/`)
        expect(answer.status).to.equal(405)
        expect(answer.headers['allow']).to.equal('GET, HEAD')
      })
    }

    for (const slug of ['home', 'settings']) {
      it(`gives the kit to anybody on the host of ${slug}, and 304 when it is the same`, async () => {
        const stranger = await host.browser(undefined, { anonymous: true })
        // Declarations are for who builds with the kit; no page asks for them.
        const names = readdirSync(appFolders.kit).filter((name) => !name.endsWith('.d.ts'))
        for (const name of names) {
          const url = `${host.app(slug)}${KIT_PATH}/${name}`
          const file = await stranger.get(url, { headers: { origin: 'https://evil.example' } })
          expect(file.status, name).to.equal(200)
          expect(file.text).to.equal(readFileSync(path.join(appFolders.kit, name), 'utf8'))
          expect(file.contentType).to.equal(KIT_TYPES[path.extname(name)])
          expect(file.headers['cache-control']).to.equal('public, no-cache')
          expect(file.headers['x-content-type-options']).to.equal('nosniff')
          expect(file.headers['content-security-policy']).to.include("default-src 'none'")
          expect(file.headers['cross-origin-resource-policy']).to.equal('same-origin')
          expect(file.headers['vary']).to.equal('Accept-Encoding')
          expect(file.headers).to.not.have.any.keys('set-cookie')
          expect(Object.keys(file.headers).join()).to.not.include('access-control')
          const same = await stranger.get(url, {
            headers: { 'if-none-match': String(file.headers['etag']) },
          })
          expect(same).to.include({ status: 304, text: '' })
        }
      })
    }

    const outside = [
      '',
      '/',
      '/absent.js',
      '/api.js/',
      '/api',
      '/%61pi.js%00',
      '/../main.js',
      '/%2e%2e/%2e%2e/package.json',
      '/..%2f..%2fpackage.json',
      '/..%5c..%5cpackage.json',
      '//etc/passwd',
      '/.hidden.js',
    ]
    for (const rest of outside) {
      it(`answers 404 to GET ${KIT_PATH}${rest}, to anybody`, async () => {
        const stranger = await host.browser(undefined, { anonymous: true })
        const answer = await stranger.get(`${host.app('home')}/`, { target: KIT_PATH + rest })
        expect(answer.status).to.equal(404)
      })
    }

    it('answers 405 to POST below the kit', async () => {
      const answer = await browser.request('POST', `${host.app('home')}${KIT_PATH}/api.js`)
      expect(answer.status).to.equal(405)
    })

    it('has no kit on the instance itself', async () => {
      const answer = await browser.get(`https://${domain}${KIT_PATH}/api.js`)
      expect(answer.status).to.equal(404)
    })

    for (const file of ['/', `${KIT_PATH}/api.js`]) {
      it(`answers 404 to GET ${file} of an app that is not installed`, async () => {
        const answer = await browser.get(`${host.app('drive')}${file}`)
        expect(answer.status).to.equal(404)
      })
    }
  })
}

describe('apps from a folder', () => {
  const host = suiteHost()
  const folder = suiteFolder()

  before(async () => {
    const secrets = path.join(folder, 'secrets')
    const app = path.join(folder, 'shop')
    mkdirSync(secrets)
    mkdirSync(path.join(app, 'public'), { recursive: true })
    writeFileSync(path.join(secrets, 'key.txt'), 'secret')
    writeFileSync(path.join(app, 'inner.txt'), 'not in the folder of the route')
    writeFileSync(
      path.join(app, 'public', 'index.html'),
      '<!doctype html><body data-svc-app=""><p data-svc-app>second</p>',
    )
    writeFileSync(path.join(app, 'public', 'empty.txt'), '')
    mkdirSync(path.join(app, 'public', '_kit'))
    for (const name of ['api.js', 'own.js'])
      writeFileSync(path.join(app, 'public', '_kit', name), '// of the app')
    writeFileSync(path.join(app, 'public', 'program.exe'), 'MZ')
    symlinkSync(path.join(secrets, 'key.txt'), path.join(app, 'public', 'link.txt'))
    symlinkSync(secrets, path.join(app, 'public', 'folder'))
    writeFileSync(
      path.join(app, 'manifest.json'),
      JSON.stringify({
        slug: 'shop',
        name: 'Shop "&" <b>',
        permissions: { notes: { type: 'io.svc.notes', verbs: ['GET'] } },
        routes: {
          '/': { folder: '/public', index: 'index.html', public: true },
          '/admin': { folder: '/public', index: 'index.html', public: false },
        },
      }),
    )
    const installed = await host.admin('POST', '/instances/alice.example.com/apps', { app })
    expect(installed.status).to.equal(201)
  })

  it('gives a public page to anybody, without a token', async () => {
    const stranger = await host.browser(undefined, { anonymous: true })
    const answer = await stranger.get(`${host.app('shop')}/`)
    expect(answer.status).to.equal(200)
    expect(answer.text).to.include('<body data-svc-app data-svc-domain="alice.example.com"')
    expect(answer.text).to.not.include('data-svc-token')
    expect(answer.text).to.include('<p data-svc-app>second</p>')
  })

  it('gives a public page to a session without a token, too', async () => {
    const answer = await (await host.browser()).get(`${host.app('shop')}/`)
    expect(answer.status).to.equal(200)
    expect(answer.text).to.not.include('data-svc-token')
  })

  it('takes the longest route', async () => {
    const stranger = await host.browser(undefined, { anonymous: true })
    expect((await stranger.get(`${host.app('shop')}/admin`)).status).to.equal(302)
    expect((await stranger.get(`${host.app('shop')}/administrator`)).status).to.equal(404)
    const owner = await host.browser()
    expect((await owner.get(`${host.app('shop')}/admin/`)).text).to.include('data-svc-token')
  })

  for (const target of ['/link.txt', '/folder/key.txt', '/inner.txt', '/program.exe']) {
    it(`answers 404 to GET ${target}`, async () => {
      const stranger = await host.browser(undefined, { anonymous: true })
      expect((await stranger.get(`${host.app('shop')}${target}`)).status).to.equal(404)
    })
  }

  it('serves an empty file', async () => {
    const stranger = await host.browser(undefined, { anonymous: true })
    const answer = await stranger.get(`${host.app('shop')}/empty.txt`)
    expect(answer).to.include({ status: 200, text: '' })
  })

  it('finds the kit where it is, whatever lies in its own folder', async () => {
    const stranger = await host.browser(undefined, { anonymous: true })
    const file = await stranger.get(`${host.app('shop')}${KIT_PATH}/api.js`)
    expect(file.text).to.equal(readFileSync(path.join(appFolders.kit, 'api.js'), 'utf8'))
    expect((await stranger.get(`${host.app('shop')}${KIT_PATH}/own.js`)).status).to.equal(404)
  })

  it('may have a route that only begins like the kit', async () => {
    const manifest = path.join(folder, 'shop', 'manifest.json')
    const before = readFileSync(manifest, 'utf8')
    const about = { ...JSON.parse(before), slug: 'kits', routes: { [`${KIT_PATH}s`]: ROUTES['/'] } }
    writeFileSync(manifest, JSON.stringify(about))
    const app = path.join(folder, 'shop')
    const answer = await host.admin('POST', '/instances/alice.example.com/apps', { app })
    expect(answer.status).to.equal(201)
    writeFileSync(manifest, before)
    const stranger = await host.browser(undefined, { anonymous: true })
    expect((await stranger.get(`${host.app('kits')}${KIT_PATH}s/`)).status).to.equal(200)
  })

  it('is gone from its host once uninstalled, and its tokens with it', async () => {
    const owner = await host.browser()
    const page = (await owner.get(`${host.app('shop')}/admin`)).page()
    const headers = { authorization: `Bearer ${page.attribute('data-svc-token')}` }
    const read = () => owner.request('GET', '/data/io.svc.notes', { headers })
    expect((await read()).status).to.equal(200)
    await host.admin('DELETE', '/instances/alice.example.com/apps/shop')
    expect((await read()).status).to.equal(401)
    expect((await owner.get(`${host.app('shop')}/`)).status).to.equal(404)
    const again = path.join(folder, 'shop')
    await host.admin('POST', '/instances/alice.example.com/apps', { app: again })
  })

  const faults: [string, unknown][] = [
    ['no manifest', undefined],
    ['a manifest that is no object', []],
    [
      'a route out of its folder',
      { routes: { '/': { folder: '/../..', index: 'a', public: true } } },
    ],
    ['a slug that is none', { slug: 'Shop_1' }],
    ['a permission that is none', { permissions: { a: { type: 'io.svc.*' } } }],
    ['no routes', { routes: {} }],
    ['a route at the kit', { routes: { ...ROUTES, [KIT_PATH]: ROUTES['/'] } }],
    ['a route at the kit as a folder', { routes: { ...ROUTES, [`${KIT_PATH}/`]: ROUTES['/'] } }],
    ['a route below the kit', { routes: { ...ROUTES, [`${KIT_PATH}/own`]: ROUTES['/'] } }],
  ]
  for (const [what, changes] of faults) {
    it(`does not install a folder with ${what}`, async () => {
      const bad = path.join(folder, 'bad')
      cpSync(path.join(folder, 'shop'), bad, { recursive: true, verbatimSymlinks: true })
      const manifest = path.join(bad, 'manifest.json')
      const good = { slug: 'bad', name: 'Bad', permissions: {}, routes: ROUTES }
      if (changes === undefined) rmSync(manifest)
      else
        writeFileSync(
          manifest,
          JSON.stringify(Array.isArray(changes) ? [] : { ...good, ...(changes as object) }),
        )
      const answer = await host.admin('POST', '/instances/alice.example.com/apps', { app: bad })
      expect(answer.status).to.equal(400)
      rmSync(bad, { recursive: true })
    })
  }
})

const KIT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.txt': 'text/plain',
}
