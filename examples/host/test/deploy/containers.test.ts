import { readFileSync } from 'node:fs'
import path from 'node:path'
import { freePort, listen } from '@svc/testkit'
import { expect } from 'chai'
import { runProgram } from '../support/deploy/programs.ts'
import { DEPLOY } from '../support/deploy/proxies.ts'

const FOLDER = path.join(DEPLOY, 'container')
const HEALTHCHECK = path.join(FOLDER, 'healthcheck.js')

// Images are built and run where an engine is: none is part of the suites, since the bases come from a registry.
describe('the files of the containers (operation.md 7.2)', function () {
  this.timeout(20_000)

  it('build an image that runs as nobody, stops well and says whether it lives', () => {
    const text = readFileSync(path.join(FOLDER, 'Containerfile'), 'utf8')
    const lines = text.replaceAll('\\\n', ' ').split('\n')
    const of = (word: string): string[] =>
      lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1))
    expect(of('FROM')).to.deep.equal(['${BASE} AS build', '${BASE} AS run'])
    expect(of('USER')).to.deep.equal(['10001:10001'])
    expect(of('VOLUME')).to.deep.equal(['/data'])
    expect(of('STOPSIGNAL')).to.deep.equal(['SIGTERM'])
    expect(of('HEALTHCHECK').join()).to.include('/opt/svc/deploy/container/healthcheck.js')
    expect(of('LABEL').join()).to.match(/image\.version=.*image\.revision=/)
    // Of the stage that is shipped: nothing but the release, and no secret among its settings.
    const shipped = text.slice(text.indexOf(' AS run'))
    expect(shipped.match(/^COPY .*$/gm)).to.deep.equal(['COPY --from=build /opt/svc /opt/svc'])
    expect(shipped).to.not.match(/SVC_(?:KEYS|STORE|SMTP|ADMIN)/)
  })

  it('compose two processes that lose nothing, and open no port but 80 and 443', () => {
    const text = readFileSync(path.join(FOLDER, 'compose.yaml'), 'utf8')
    expect(text.match(/^ +ports: .*$/gm)).to.deep.equal(["    ports: ['80:80', '443:443']"])
    expect(text).to.include("'./redis.conf:/etc/svc/redis.conf:ro'")
    expect(text.match(/<<: \*svc/g)).to.have.lengthOf(2)
    for (const part of ['read_only: true', 'cap_drop: [ALL]', 'internal: true']) {
      expect(text).to.include(part)
    }
    expect(text.match(/mem_limit/g)).to.have.lengthOf(3)
    expect(text.match(/pids_limit/g)).to.have.lengthOf(3)
    expect(text.match(/condition: service_healthy/g)).to.have.lengthOf(3)
    // Secrets come as files.
    for (const [, name = '', value = ''] of text.matchAll(/^ +(SVC_\w*(?:KEYS|URL)\w*): (.*)$/gm)) {
      expect(name).to.match(/_FILE$/)
      expect(value).to.match(/^\/run\/secrets\//)
    }
  })

  it('have a health check that follows the server', async () => {
    let status = 200
    const server = await listen((_request, response) => void response.writeHead(status).end())
    const look = async (port: number): Promise<number> => {
      return (await runProgram(process.execPath, [HEALTHCHECK, String(port)])).code
    }
    try {
      expect(await look(server.port)).to.equal(0)
      status = 503
      expect(await look(server.port)).to.equal(1)
    } finally {
      await server.close()
    }
    expect(await look(await freePort())).to.equal(1)
  })
})
