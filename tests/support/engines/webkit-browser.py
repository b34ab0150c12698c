#!/usr/bin/python3
"""WebKitGTK in one window, started by WebKitWebDriver, with its storage in the folder of a profile.

The MiniBrowser of Debian stores nothing while it is driven, and a tablet must find its photographs again. The driver
reads no console: errors go to `console.log` in the profile, as the engine prints them.
"""
import os
import sys

import gi

gi.require_version('Gtk', '3.0')
gi.require_version('WebKit2', '4.1')
from gi.repository import Gtk, WebKit2  # noqa: E402

profile = next(word.removeprefix('--profile=') for word in sys.argv if word.startswith('--profile='))
# Before the engine starts its processes, which inherit it.
console = os.open(f'{profile}/console.log', os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
os.dup2(console, 1)
os.dup2(console, 2)

Gtk.init()
# As of a person who asked for less motion: without a graphics card each frame is computed.
Gtk.Settings.get_default().set_property('gtk-enable-animations', False)
manager = WebKit2.WebsiteDataManager(base_data_directory=f'{profile}/data', base_cache_directory=f'{profile}/cache')
context = WebKit2.WebContext(website_data_manager=manager)
context.set_automation_allowed(True)
# Pages that were left stay in memory, as in Safari.
context.set_cache_model(WebKit2.CacheModel.WEB_BROWSER)


def open_view(_session):
    settings = WebKit2.Settings(
        enable_page_cache=True,
        enable_write_console_messages_to_stdout=True,
        hardware_acceleration_policy=WebKit2.HardwareAccelerationPolicy.NEVER,
    )
    view = WebKit2.WebView(web_context=context, settings=settings, is_controlled_by_automation=True)
    window = Gtk.Window(default_width=1180, default_height=820)
    window.add(view)
    window.show_all()
    return view


def start_session(_context, session):
    info = WebKit2.ApplicationInfo()
    info.set_name('WebKitGTK')
    info.set_version(WebKit2.get_major_version(), WebKit2.get_minor_version(), WebKit2.get_micro_version())
    session.set_application_info(info)
    session.connect('create-web-view', open_view)


context.connect('automation-started', start_session)
Gtk.main()
