import { expect } from 'chai'
import { describe, it } from 'mocha'
import { canonicalPath } from '../../../src/http/canonical-path.ts'
import { createPagePaths } from '../../../src/http/page-paths.ts'
import { testRow } from './serve-rows.ts'

const row = (path: string) => testRow({ path })

describe('a canonical path', () => {
  const spellings: readonly (readonly [path: string, canonical: string])[] = [
    ['/auth/login', '/auth/login'],
    ['/AUTH/Login', '/auth/login'],
    ['//auth///login/', '/auth/login'],
    ['/%61uth%2Flogin', '/auth/login'],
    ['/auth\\login', '/auth/login'],
    ['/auth%5Clogin', '/auth/login'],
    ['/./auth/x/../login', '/auth/login'],
    ['/%2e%2E/auth/login', '/auth/login'],
    ['/%C3%89', '/é'],
    ['/%ff/%', '/%ff/%'],
    // Once: what is encoded twice is not one of ours for whoever decodes it once.
    ['/%2561uth', '/%61uth'],
    ['/', '/'],
    ['//', '/'],
    ['', '/'],
  ]
  for (const [path, canonical] of spellings) {
    it(`of ${JSON.stringify(path)} is ${canonical}`, () => {
      expect(canonicalPath(path)).to.equal(canonical)
    })
  }
})

describe('a path', () => {
  const paths = createPagePaths()
  paths.declare(
    ['/', '/auth/login', '/data/:doctype', '/realtime', '/realtime/', '/public/prelogin'].map(row),
  )

  for (const path of ['/auth/login', '/data/io.svc.Files', '/data/a%2Fb', '/realtime/', '/']) {
    it(`${path} is that of a row`, () => {
      expect(paths.isDeclared(path)).to.equal(true)
      expect(paths.isReserved(path)).to.equal(false)
    })
  }

  const reserved = [
    '/AUTH/login',
    '//auth/login',
    '/%61uth/login',
    '/auth/login/',
    '/auth/nothing',
    '/auth',
    '/Accounts/x',
    '/notifications/a/b/c',
    '/settings/',
    '/DATA/io.svc.files',
    '/data//io.svc.files',
    '/x/../data/io.svc.files',
    '/public/Prelogin',
  ]
  for (const path of reserved) {
    it(`${path} is nobody's`, () => {
      expect(paths.isDeclared(path)).to.equal(false)
      expect(paths.isReserved(path)).to.equal(true)
    })
  }

  for (const path of ['//', '/data', '/data/a/b', '/public/logo.svg', '/authority', '/x/auth']) {
    it(`${path} may be somebody else's`, () => {
      expect(paths.isDeclared(path)).to.equal(false)
      expect(paths.isReserved(path)).to.equal(false)
    })
  }
})
