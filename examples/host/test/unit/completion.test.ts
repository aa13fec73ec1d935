import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { skipUnless } from '@svc/testkit'
import { expect } from 'chai'
import { suiteFolder } from '../support/for-test.ts'
import { hostEnvironment, runSvc } from '../support/host-process.ts'

describe('svc completion', function () {
  this.timeout(60_000)
  const folder = suiteFolder()

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

  it('completes commands and options in zsh', async function () {
    skipUnless(this, has('zsh'), 'zsh is not installed')
    const file = await scriptOf('zsh')
    const { status, stderr } = spawnSync('zsh', ['-n', file], { encoding: 'utf8' })
    expect(status, stderr).to.equal(0)
    copyFileSync(file, path.join(folder, '_svc'))
    // As its first lines say: where zsh looks for such files, or read at the start.
    const ways = [
      `fpath=('${folder}' $fpath); autoload -Uz compinit; compinit -u -D`,
      `autoload -Uz compinit; compinit -u -D; . '${file}'`,
    ]
    const setUp = (way: string): string => `${way}
written() { zle complete-word; print -r -- "$BUFFER" > "$ZDOTDIR/line"; exit }
zle -N written; bindkey '^I' written
`
    // What stands on the line of an interactive shell in a terminal after the key was pressed.
    const tab = (words: string): string => {
      const env = { ...process.env, ZDOTDIR: folder }
      const typed = `zmodload zsh/zpty; zpty inner zsh -d -i; zpty -w -n inner 'svc ${words}'$'\t'; while zpty -r inner; do :; done`
      spawnSync('zsh', ['-f', '-c', typed], { encoding: 'utf8', env, cwd: folder })
      return readFileSync(path.join(folder, 'line'), 'utf8').slice(0, -1)
    }
    for (const way of ways) {
      writeFileSync(path.join(folder, '.zshrc'), setUp(way))
      rmSync(path.join(folder, 'line'), { force: true })
      expect(tab('inst'), way).to.equal('svc instance ')
    }
    expect(tab('admin-token rot')).to.equal('svc admin-token rotate ')
    expect(tab('admin-token create --name portal --on')).to.equal(
      'svc admin-token create --name portal --only ',
    )
    expect(tab('instance rotate')).to.equal('svc instance rotate')
  })

  it('completes commands and options in fish', async function () {
    skipUnless(this, has('fish'), 'fish is not installed')
    const file = await scriptOf('fish')
    const { status, stderr } = spawnSync('fish', ['--no-execute', file], { encoding: 'utf8' })
    expect(status, stderr).to.equal(0)
    const complete = (line: string): string[] => {
      const args = ['--no-config', '-c', `source '${file}'; complete --do-complete '${line}'`]
      const env = { ...process.env, HOME: folder }
      const { stdout, stderr: said } = spawnSync('fish', args, { encoding: 'utf8', env })
      expect(said).to.equal('')
      return stdout
        .split('\n')
        .flatMap((entry) => entry.split('\t').slice(0, 1))
        .filter(Boolean)
    }
    expect(complete('svc inst')).to.deep.equal(['instance'])
    expect(complete('svc admin-token ')).to.include.members(['create', 'list', 'revoke', 'rotate'])
    expect(complete('svc admin-token create --name portal --on')).to.deep.equal(['--only'])
    expect(complete('svc store upgrade --')).to.include.members(['--store', '--json', '--help'])
  })

  it('knows no other shell', async () => {
    const { code, stderr } = await runSvc(['completion', 'tcsh'], hostEnvironment({}))
    expect(code).to.equal(1)
    expect(stderr).to.include('bash, zsh, fish')
  })
})
