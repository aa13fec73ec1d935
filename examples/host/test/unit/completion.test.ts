import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { skipUnless } from '@svc/testkit'
import { expect } from 'chai'
import { hostEnvironment, runSvc } from '../support/host-process.ts'

describe('svc completion', function () {
  this.timeout(60_000)
  let folder: string
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'svc-completion-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  async function scriptOf(shell: string): Promise<string> {
    const { code, stdout, stderr } = await runSvc(['completion', shell], hostEnvironment({}))
    expect(code, stderr).to.equal(0)
    const file = path.join(folder, shell)
    writeFileSync(file, stdout)
    return file
  }
  const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0

  it('completes commands, subcommands and options in bash', async function () {
    skipUnless(this, has('bash'), 'bash is not installed')
    const file = await scriptOf('bash')
    const complete = (...words: string[]): string[] => {
      const list = words.map((word) => `'${word}'`).join(' ')
      const line = `. '${file}'; COMP_WORDS=(svc ${list}); COMP_CWORD=${words.length}; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`
      const { stdout, stderr } = spawnSync('bash', ['-c', line], { encoding: 'utf8' })
      expect(stderr).to.equal('')
      return stdout.split('\n').filter((word) => word !== '')
    }
    expect(complete('inst')).to.deep.equal(['instance'])
    expect(complete('admin-token', '')).to.include.members(['create', 'list', 'revoke', 'rotate'])
    expect(complete('admin-token', 'create', '--na')).to.deep.equal(['--name'])
    expect(complete('admin-token', 'create', '--name', 'portal', '--on')).to.deep.equal(['--only'])
    expect(complete('store', 'upgrade', '--')).to.include.members(['--store', '--json', '--help'])
    expect(complete('zzz')).to.deep.equal([])
  })

  it('prints what zsh and fish take', async () => {
    for (const shell of ['zsh', 'fish']) {
      const file = await scriptOf(shell)
      if (!has(shell)) continue
      const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' })
      expect(status, stderr).to.equal(0)
    }
  })

  it('knows no other shell', async () => {
    const { code, stderr } = await runSvc(['completion', 'tcsh'], hostEnvironment({}))
    expect(code).to.equal(1)
    expect(stderr).to.include('bash, zsh, fish')
  })
})
