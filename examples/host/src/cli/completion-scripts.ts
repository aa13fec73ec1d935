/** A command or an option that may come next. */
export interface Word {
  readonly word: string
  readonly about: string
}

/** What may follow, by the names of commands that were typed. */
type Words = ReadonlyMap<string, readonly Word[]>

export const SHELLS = ['bash', 'zsh', 'fish'] as const

/** @throws Error for another shell */
export function completionScript(shell: string, words: Words): string {
  if (shell === 'bash') return bash(words)
  if (shell === 'zsh') return zsh(words)
  if (shell === 'fish') return fish(words)
  throw new Error(`No shell is called ${shell} here: ${SHELLS.join(', ')}.`)
}

/** The names that lead to a command are those of the words typed that are commands; values of options are none. */
function bash(words: Words): string {
  return `# svc completion bash: . <(svc completion bash)
_svc_next() {
  case "$1" in
${cases(words, (each) => `printf '%s\\n' ${each.map(({ word }) => quote(word)).join(' ')}`)}
  esac
}
_svc() {
  local path='' word next at
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    next=$(_svc_next "$path")
    if [[ $word != -* && $'\\n'"$next"$'\\n' == *$'\\n'"$word"$'\\n'* ]]; then
      path="\${path:+$path }$word"
    fi
  done
  mapfile -t COMPREPLY < <(compgen -W "$(_svc_next "$path")" -- "\${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _svc svc
`
}

function zsh(words: Words): string {
  const described = (each: readonly Word[]): string =>
    `next=(${each.map(({ word, about }) => quote(`${word.replaceAll(':', '\\:')}:${about}`)).join(' ')})`
  return `#compdef svc
# svc completion zsh: svc completion zsh > "\${fpath[1]}/_svc"
_svc_next() {
  case "$1" in
${cases(words, described)}
  esac
}
_svc() {
  local path_='' word at
  local -a next
  for ((at = 2; at < CURRENT; at++)); do
    word=\${words[at]}
    next=()
    _svc_next "$path_"
    if [[ $word != -* && -n \${next[(r)$word:*]} ]]; then
      path_="\${path_:+$path_ }$word"
    fi
  done
  next=()
  _svc_next "$path_"
  _describe 'svc' next
  _files
}
if [[ \${funcstack[1]} == _svc ]]; then _svc; else compdef _svc svc; fi
`
}

function fish(words: Words): string {
  const lines = [...words].flatMap(([path, each]) =>
    each.map(({ word, about }) => {
      const what = word.startsWith('--') ? `-l ${quote(word.slice(2))}` : `-f -a ${quote(word)}`
      return `complete -c svc -n ${quote(`test "$(_svc_path)" = "${path}"`)} ${what} -d ${quote(about)}`
    }),
  )
  const paths = [...words.keys()].filter((path) => path !== '')
  return `# svc completion fish: svc completion fish | source
function _svc_path
    set -l path ''
    for word in (commandline -opc)[2..-1]
        set -l next (string trim -- "$path $word")
        if contains -- "$next" ${paths.map(quote).join(' ')}
            set path $next
        end
    end
    echo "$path"
end
${lines.join('\n')}
`
}

function cases(words: Words, body: (words: readonly Word[]) => string): string {
  return [...words].map(([path, each]) => `    ${quote(path)}) ${body(each)} ;;`).join('\n')
}

/** One word of a shell, whatever is in it. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
