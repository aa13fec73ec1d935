import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { needsProgram, runProgram } from '../support/deploy/programs.ts'
import { DEPLOY } from '../support/deploy/proxies.ts'
import { valuesOf } from '../support/deploy/units.ts'
import { testFolder } from '../support/for-test.ts'

const UNITS = path.join(DEPLOY, 'systemd')
const SERVICES = ['svc.service', 'svc@.service', 'svc-backup.service']

describe('the units of systemd (operation.md 7.2)', function () {
  this.timeout(30_000)
  before(function () {
    needsProgram(this, 'systemd-analyze')
  })

  for (const name of SERVICES) {
    it(`leave little open: ${name}`, async () => {
      const { code, said } = await runProgram('systemd-analyze', [
        'security',
        '--offline=yes',
        '--threshold=20',
        path.join(UNITS, name),
      ])
      expect(code, said).to.equal(0)
    })
  }

  it('are ones that systemd takes, where the release is installed', async () => {
    const folder = testFolder()
    for (const name of readdirSync(UNITS)) {
      if (!name.startsWith('svc')) continue
      const text = readFileSync(path.join(UNITS, name), 'utf8')
      // The commands are there once it is installed; here, below the folder of the test.
      writeFileSync(path.join(folder, name), text.replaceAll('=/opt/svc/', `=${folder}/opt/svc/`))
    }
    for (const name of ['bin/svc-host', 'deploy/backup-once']) {
      const file = path.join(folder, 'opt/svc/current', name)
      mkdirSync(path.dirname(file), { recursive: true })
      cpSync('/bin/true', file)
      chmodSync(file, 0o755)
    }
    const started = ['svc.service', 'svc@1.service', 'svc.target', 'svc-backup.service'].concat(
      'svc-backup.timer',
    )
    for (const name of started) {
      const { code, said } = await runProgram('systemd-analyze', ['verify', name], {
        cwd: folder,
        env: { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` },
      })
      expect(code, said).to.equal(0)
      expect(said).to.not.match(/svc[^ ]*:\d+:/)
    }
  })

  it('hold what the specification names', () => {
    for (const name of SERVICES) {
      const text = readFileSync(path.join(UNITS, name), 'utf8')
      const value = (setting: string): string => valuesOf(text, setting).join(' ')
      for (const setting of ['ProtectHome', 'PrivateTmp', 'PrivateDevices', 'NoNewPrivileges']) {
        expect(value(setting), `${name} ${setting}`).to.equal('yes')
      }
      for (const setting of ['RestrictNamespaces', 'LockPersonality']) {
        expect(value(setting), `${name} ${setting}`).to.equal('yes')
      }
      expect(value('ProtectSystem')).to.equal('strict')
      expect(value('CapabilityBoundingSet')).to.equal('')
      expect(value('RestrictAddressFamilies')).to.equal('AF_INET AF_INET6 AF_UNIX')
      expect(value('SystemCallFilter')).to.equal('@system-service')
      expect(value('UMask')).to.equal('0077')
      expect(value('StateDirectoryMode')).to.equal('0700')
      expect(text).to.not.match(/^MemoryDenyWriteExecute/m)
      if (name === 'svc-backup.service') continue
      expect(value('LimitNOFILE')).to.equal('65536')
      expect(value('TimeoutStopSec')).to.equal('35')
      expect(value('Restart')).to.equal('on-failure')
      expect(value('RestartPreventExitStatus')).to.equal('78')
    }
  })
})
