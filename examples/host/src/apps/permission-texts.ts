import type { PermissionTexts } from '@svc/auth-ui'

/**
 * What access to the kinds of data of this host means, in the words of its owners. Kinds that are not here have the
 * words of the package.
 */
export function permissionTexts(namespace: string): PermissionTexts {
  return {
    [`${namespace}.contacts`]: CONTACTS,
    [`${namespace}.notes`]: NOTES,
    [`${namespace}.notifications`]: NOTIFICATIONS,
    [`${namespace}.notifications.preferences`]: NOTIFICATION_PREFERENCES,
  }
}

const CONTACTS: PermissionTexts[string] = {
  en: {
    name: 'Contacts',
    read: 'See the people you know, their addresses and numbers',
    add: 'Add people',
    change: 'Change what is noted about them',
    delete: 'Delete people',
  },
  fr: {
    name: 'Contacts',
    read: 'Voir les personnes que vous connaissez, leurs adresses et numéros',
    add: 'Ajouter des personnes',
    change: 'Modifier ce qui est noté à leur sujet',
    delete: 'Supprimer des personnes',
  },
  de: {
    name: 'Kontakte',
    read: 'Sehen, wen Sie kennen, mit Adressen und Nummern',
    add: 'Personen hinzufügen',
    change: 'Ändern, was über sie notiert ist',
    delete: 'Personen löschen',
  },
  es: {
    name: 'Contactos',
    read: 'Ver a las personas que conoce, sus direcciones y números',
    add: 'Añadir personas',
    change: 'Modificar lo anotado sobre ellas',
    delete: 'Eliminar personas',
  },
}

const NOTES: PermissionTexts[string] = {
  en: {
    name: 'Notes',
    read: 'Read your notes',
    add: 'Write new notes',
    change: 'Rewrite your notes',
    delete: 'Delete notes',
  },
  fr: {
    name: 'Notes',
    read: 'Lire vos notes',
    add: 'Écrire de nouvelles notes',
    change: 'Réécrire vos notes',
    delete: 'Supprimer des notes',
  },
  de: {
    name: 'Notizen',
    read: 'Ihre Notizen lesen',
    add: 'Neue Notizen schreiben',
    change: 'Ihre Notizen umschreiben',
    delete: 'Notizen löschen',
  },
  es: {
    name: 'Notas',
    read: 'Leer sus notas',
    add: 'Escribir notas nuevas',
    change: 'Reescribir sus notas',
    delete: 'Eliminar notas',
  },
}

const NOTIFICATIONS: PermissionTexts[string] = {
  en: {
    name: 'Notifications to you',
    read: 'See what your apps told you',
    add: 'Tell you something, on your devices and by email',
    change: 'Mark what you have read',
    delete: 'Take back what it told you',
  },
  fr: {
    name: 'Vos notifications',
    read: 'Voir ce que vos applications vous ont dit',
    add: 'Vous dire quelque chose, sur vos appareils et par e-mail',
    change: 'Marquer ce que vous avez lu',
    delete: 'Reprendre ce qu’elle vous a dit',
  },
  de: {
    name: 'Benachrichtigungen an Sie',
    read: 'Sehen, was Ihre Apps Ihnen mitgeteilt haben',
    add: 'Ihnen etwas mitteilen, auf Ihren Geräten und per E-Mail',
    change: 'Markieren, was Sie gelesen haben',
    delete: 'Zurücknehmen, was sie Ihnen mitgeteilt hat',
  },
  es: {
    name: 'Notificaciones para usted',
    read: 'Ver lo que le han dicho sus aplicaciones',
    add: 'Decirle algo, en sus dispositivos y por correo',
    change: 'Marcar lo que ha leído',
    delete: 'Retirar lo que le ha dicho',
  },
}

const NOTIFICATION_PREFERENCES: PermissionTexts[string] = {
  en: {
    name: 'Notification settings',
    read: 'See which apps may tell you something, how and when',
    add: 'Make such choices for you',
    change: 'Change those choices: mute apps, or let them speak',
    delete: 'Take such choices back',
  },
  fr: {
    name: 'Préférences de notification',
    read: 'Voir quelles applications peuvent vous dire quelque chose, par où et quand',
    add: 'Faire de tels choix pour vous',
    change: 'Modifier ces choix : faire taire des applications, ou leur rendre la parole',
    delete: 'Annuler de tels choix',
  },
  de: {
    name: 'Einstellungen für Benachrichtigungen',
    read: 'Sehen, welche Apps Ihnen etwas mitteilen dürfen, auf welchem Weg und wann',
    add: 'Solche Entscheidungen für Sie treffen',
    change: 'Diese Wahl ändern: Apps stumm schalten oder zu Wort kommen lassen',
    delete: 'Solche Entscheidungen zurücknehmen',
  },
  es: {
    name: 'Preferencias de notificación',
    read: 'Ver qué aplicaciones pueden decirle algo, por qué medio y cuándo',
    add: 'Elegir esto por usted',
    change: 'Cambiar esas elecciones: silenciar aplicaciones o dejarlas hablar',
    delete: 'Deshacer esas elecciones',
  },
}
