/** Where a login must never lead; each with a name. */
export function hostileTargets(host: string): readonly (readonly [string, string])[] {
  return [
    ['other', 'https://evil.contract.example/'],
    ['slashes', '//evil.contract.example/'],
    ['backslash', 'https:\\\\evil.contract.example'],
    ['mixed', '/\\evil.contract.example'],
    ['user', `https://${host}@evil.contract.example/`],
    ['suffix', `https://${host}.evil.contract.example/`],
    ['prefix', `https://evil${host}/`],
    ['deep', `https://a.b.${host}/`],
    ['script', 'javascript:alert(1)'],
    ['data', 'data:text/html,hello'],
    ['space', ' https://evil.contract.example/'],
    ['line', 'https://evil.contract.example/\r\nX-Injected: 1'],
    ['path', '/auth/login'],
    ['ftp', `ftp://${host}/`],
  ]
}
