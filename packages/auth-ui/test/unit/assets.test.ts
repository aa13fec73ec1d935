import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { createAssets } from '../../src/pages/assets.ts'
import { type SampleServer, sampleServer } from '../support/sample-server.ts'

/** A file as it is sent: a style sheet goes without its comments. */
function read(path: string): string {
  const text = readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8')
  return path.endsWith('.css') ? text.split(/\/\*[^]*?\*\//u).join('') : text
}

describe('GET /auth/assets/:version/:name', () => {
  let server: SampleServer
  before(async () => {
    server = await sampleServer()
  })
  after(() => server.close())

  const types: readonly [name: string, type: string, folder: string][] = [
    ['tokens.css', 'text/css; charset=utf-8', '../../app-kit/_kit'],
    ['derive.js', 'text/javascript; charset=utf-8', '../../app-kit/_kit'],
    ['icon.svg', 'image/svg+xml; charset=utf-8', '../../assets'],
  ]
  for (const [name, type, folder] of types) {
    it(`answers ${name}, to be kept forever`, async () => {
      const response = await fetch(server.origin + createAssets().url(name))
      expect(response.status).to.equal(200)
      expect(response.headers.get('content-type')).to.equal(type)
      expect(response.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable')
      expect(response.headers.get('x-content-type-options')).to.equal('nosniff')
      expect(response.headers.get('vary')).to.equal('Accept-Encoding')
      expect(await response.text()).to.equal(read(`${folder}/${name}`))
    })
  }

  const encodings: readonly [accepted: string, sent: string | null, mark: string][] = [
    ['gzip, deflate, br', 'gzip', '-gzip"'],
    ['identity', null, '"'],
    ['gzip;q=0, identity', null, '"'],
    ['br', null, '"'],
  ]
  for (const [accepted, sent, mark] of encodings) {
    it(`answers ${sent ?? 'plainly'} to a browser that takes ${accepted}`, async () => {
      const url = server.origin + createAssets().url('base.css')
      const response = await fetch(url, { headers: { 'Accept-Encoding': accepted } })
      expect(response.headers.get('content-encoding')).to.equal(sent)
      expect(response.headers.get('etag')?.endsWith(mark)).to.equal(true)
      expect(response.headers.get('etag')?.includes('-gzip')).to.equal(sent === 'gzip')
      expect(await response.text()).to.equal(read('../../app-kit/_kit/base.css'))
    })
  }

  it('sends no comment of a style sheet, and each of its rules', async () => {
    const sent = await (await fetch(server.origin + createAssets().url('pages.css'))).text()
    expect(sent).not.to.include('/*').and.not.to.include('*/')
    const path = fileURLToPath(new URL('../../assets/pages.css', import.meta.url))
    const rules = readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.includes('{'))
    expect(rules).to.have.length.above(100)
    expect(sent.split('\n').filter((line) => line.includes('{'))).to.deep.equal(rules)
  })

  it('answers the file of another version, to be asked for each time', async () => {
    const response = await fetch(`${server.origin}/auth/assets/older/form.js`)
    expect(response.status).to.equal(200)
    expect(response.headers.get('cache-control')).to.equal('public, no-cache')
  })

  it('answers 304 when the file is known', async () => {
    const url = server.origin + createAssets().url('base.css')
    const etag = (await fetch(url)).headers.get('etag') ?? ''
    const response = await fetch(url, {
      headers: { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' },
    })
    expect(response.status).to.equal(304)
    expect(await response.text()).to.equal('')
  })

  const absent = [
    'nothing.css',
    'api.js',
    '__proto__',
    'constructor',
    '..%2fpackage.json',
    'package.json',
  ]
  for (const name of absent) {
    it(`answers 404 for ${name}`, async () => {
      const response = await fetch(`${server.origin}/auth/assets/v/${name}`)
      expect(response.status).to.equal(404)
      expect(await response.text()).to.not.include('{')
    })
  }
})

describe('createAssets', () => {
  it('changes every address when one file changes', () => {
    const one = createAssets({ 'theme.css': ':root{}' }).url('form.js')
    const other = createAssets({ 'theme.css': ':root{--a:b}' }).url('form.js')
    expect(one).to.not.equal(other)
  })

  it('throws for a file there is not', () => {
    expect(() => createAssets().url('nothing.css')).to.throw(TypeError)
  })
})
