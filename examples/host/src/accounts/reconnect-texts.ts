/** What an owner is told of an account that works no longer. */
export interface ReconnectTexts {
  readonly title: (name: string) => string
  readonly message: string
}

/** By language; its title for the name of an account. */
export const RECONNECT_TEXTS: Readonly<Record<string, ReconnectTexts>> = {
  en: {
    title: (name) => `${name} has to be connected again`,
    message: 'Your space can’t reach this account any more. Connect it again in the settings.',
  },
  fr: {
    title: (name) => `${name} est à reconnecter`,
    message: 'Votre espace n’a plus accès à ce compte. Reconnectez-le dans les réglages.',
  },
  de: {
    title: (name) => `${name} muss neu verbunden werden`,
    message:
      'Ihr Bereich hat keinen Zugriff mehr auf dieses Konto. Verbinden Sie es in den Einstellungen neu.',
  },
  es: {
    title: (name) => `Hay que volver a conectar ${name}`,
    message: 'Su espacio ya no tiene acceso a esta cuenta. Vuelva a conectarla en los ajustes.',
  },
}

/** In the language of the instance; English for one without texts. */
export function reconnectTexts(locale: string): ReconnectTexts {
  const language = locale.split(/[-_]/)[0]?.toLowerCase() ?? ''
  const own = Object.hasOwn(RECONNECT_TEXTS, language) ? RECONNECT_TEXTS[language] : undefined
  return own ?? (RECONNECT_TEXTS['en'] as ReconnectTexts) // in the table
}
